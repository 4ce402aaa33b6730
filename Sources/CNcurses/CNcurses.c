// A full screen drawn by ncurses, and the restoration of the terminal after a signal.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#define NCURSES_WIDECHAR 1
#include "CNcurses.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

// Declared as in term.h, whose macros would take names such as `columns`.
char *tigetstr(const char *);
char *tiparm(const char *, ...);

enum { PASTE_BEGIN = KEY_MAX + 1, PASTE_END, RESTORING = 512, ESCAPE_MILLISECONDS = 100 };
static const char paste_on[] = "\033[?2004h", paste_off[] = "\033[?2004l";

// Signals that the loop handles, and the others that end a process (signal(7)).
static const int told[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH};
static const int fatal[] = {SIGILL,  SIGTRAP,   SIGABRT, SIGBUS,  SIGFPE,  SIGSEGV,   SIGSYS, SIGXCPU, SIGXFSZ,
                            SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGSTKFLT, SIGIO,  SIGPWR};
enum { TOLD = sizeof told / sizeof told[0], FATAL = sizeof fatal / sizeof fatal[0] };

static SCREEN *screen;
static int ends[2] = {-1, -1};
static struct sigaction before_told[TOLD], before_fatal[FATAL];
static int mouse_is_on, paste_is_on, mouse_column, mouse_line;

// Written while no handler that reads them is installed, or as one word.
static struct termios before;
static char restoring[RESTORING];
static size_t restoring_length;
static volatile sig_atomic_t is_taken;

int cncurses_use_locale(void) {
  setlocale(LC_ALL, "");
  return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

int cncurses_width(uint32_t scalar) { return wcwidth((wchar_t)scalar); }

// MARK: Signals

static void write_all(const char *text, size_t length) {
  while (length > 0) {
    ssize_t count = write(STDOUT_FILENO, text, length);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) text += count, length -= (size_t)count;
  }
}

// Restores the terminal with calls of signal-safety(7) only.
static void restore_at_once(void) {
  if (!is_taken) return;
  is_taken = 0;
  write_all(restoring, restoring_length);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

static void tell(int number) {
  int code = errno;
  unsigned char byte = (unsigned char)number;
  (void)!write(ends[1], &byte, 1);
  errno = code;
}

static void die(int number) {
  restore_at_once();
  for (int i = 0; i < FATAL; i++)
    if (fatal[i] == number) sigaction(number, &before_fatal[i], 0);
  raise(number);
}

static void handle(const int *numbers, struct sigaction *former, int count, void (*handler)(int)) {
  for (int i = 0; i < count; i++) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(numbers[i], &action, former ? &former[i] : 0);
  }
}

// A string of the terminal's description without its padding, or nothing.
static void add(const char *text) {
  if (!text || text == (char *)-1) return;
  while (*text) {
    if (text[0] == '$' && text[1] == '<') {
      const char *end = strchr(text, '>');
      if (end) {
        text = end + 1;
        continue;
      }
    }
    if (restoring_length < RESTORING) restoring[restoring_length++] = *text;
    text++;
  }
}

// Leaves the screen of the program. A terminal with one screen only gets its last line cleared for the shell.
static void add_leaving(void) {
  char *leaving = tigetstr("rmcup");
  if (leaving && leaving != (char *)-1)
    add(leaving);
  else
    add(tigetstr("el"));
  add("\r");
}

// Composes the text that restores the terminal, since a handler cannot ask ncurses for it.
static void compose_restoring(void) {
  restoring_length = 0;
  if (mouse_is_on) add("\033[?1006l\033[?1000l");
  if (paste_is_on) add(paste_off);
  add(tigetstr("rmkx"));
  add(tigetstr("sgr0"));
  add(tigetstr("cnorm"));
  char *place = tigetstr("cup");
  if (place && place != (char *)-1) add(tiparm(place, LINES - 1, 0));
  add_leaving();
}

// MARK: Beginning and end

static int make_pipe(void) {
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) return -errno;
  return 0;
}

// Keys in the forms that most terminals send, whatever their description says.
static void define_common_keys(void) {
  static const struct {
    const char *text;
    int key;
  } keys[] = {
      {"\033[A", KEY_UP},    {"\033[B", KEY_DOWN},  {"\033[C", KEY_RIGHT},  {"\033[D", KEY_LEFT},   {"\033OA", KEY_UP},
      {"\033OB", KEY_DOWN},  {"\033OC", KEY_RIGHT}, {"\033OD", KEY_LEFT},   {"\033[H", KEY_HOME},   {"\033[F", KEY_END},
      {"\033OH", KEY_HOME},  {"\033OF", KEY_END},   {"\033[1~", KEY_HOME},  {"\033[4~", KEY_END},   {"\033[3~", KEY_DC},
      {"\033[5~", KEY_PPAGE}, {"\033[6~", KEY_NPAGE}, {"\033OM", KEY_ENTER},
  };
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
    if (key_defined(keys[i].text) == 0) define_key(keys[i].text, keys[i].key);
}

int cncurses_begin(int uses_colour, int uses_mouse, int *pipe) {
  if (tcgetattr(STDIN_FILENO, &before) < 0) return -errno;
  int code = make_pipe();
  if (code < 0) return code;
  screen = newterm(NULL, stdout, stdin);
  char *place = screen ? tigetstr("cup") : 0;
  if (!place || place == (char *)-1) {
    if (screen) {
      endwin();
      delscreen(screen);
      screen = 0;
    }
    close(ends[0]), close(ends[1]);
    return -ENODEV;
  }
  // Ctrl-C and Ctrl-\ stay signals. Ctrl-Z is a key, since ncurses ignores SIGTSTP while it draws: the signal would be lost.
  cbreak();
  noecho();
  nonl();
  nodelay(stdscr, TRUE);
  keypad(stdscr, TRUE);
  leaveok(stdscr, FALSE);
  struct termios modes;
  if (tcgetattr(STDIN_FILENO, &modes) == 0) {
    modes.c_cc[VSUSP] = _POSIX_VDISABLE;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
    def_prog_mode();
  }
  if (!getenv("ESCDELAY")) set_escdelay(ESCAPE_MILLISECONDS);
  if (uses_colour && has_colors()) {
    start_color();
    int background = use_default_colors() == OK ? -1 : COLOR_BLACK;
    const short colours[] = {0, COLOR_GREEN, COLOR_YELLOW, COLOR_RED, COLOR_CYAN};
    for (short i = CNCURSES_GREEN; i <= CNCURSES_CYAN; i++) init_pair(i, colours[i], (short)background);
  }
  if (uses_mouse) {
    // A press is told at once, and not after the time in which it could become a click.
    mouseinterval(0);
    mouse_is_on = mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL) != 0;
  }
  // Terminals with the cursor keys of xterm know bracketed paste, or ignore it.
  char *mouse = tigetstr("kmous");
  paste_is_on = mouse && mouse != (char *)-1;
  if (paste_is_on) {
    define_key("\033[200~", PASTE_BEGIN);
    define_key("\033[201~", PASTE_END);
    write_all(paste_on, sizeof paste_on - 1);
  }
  define_common_keys();
  compose_restoring();
  is_taken = 1;
  handle(told, before_told, TOLD, tell);
  handle(fatal, before_fatal, FATAL, die);
  *pipe = ends[0];
  return 0;
}

void cncurses_end(void) {
  if (!screen) return;
  cncurses_leave();
  for (int i = 0; i < TOLD; i++) sigaction(told[i], &before_told[i], 0);
  for (int i = 0; i < FATAL; i++) sigaction(fatal[i], &before_fatal[i], 0);
  delscreen(screen);
  screen = 0;
  // The pipe stays open: another thread may be about to write to it.
}

void cncurses_wake(void) {
  unsigned char byte = 0;
  if (ends[1] >= 0) (void)!write(ends[1], &byte, 1);
}

int cncurses_take_byte(void) {
  unsigned char byte;
  return read(ends[0], &byte, 1) == 1 ? byte : CNCURSES_NONE;
}

void cncurses_leave(void) {
  if (!is_taken) return;
  if (paste_is_on) write_all(paste_off, sizeof paste_off - 1);
  def_prog_mode();
  endwin();
  is_taken = 0;
  char *leaving = tigetstr("rmcup");
  if (!leaving || leaving == (char *)-1) {
    restoring_length = 0;
    add_leaving();
    write_all(restoring, restoring_length);
    compose_restoring();
  }
  tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

void cncurses_return(void) {
  if (is_taken) return;
  is_taken = 1;
  reset_prog_mode();
  if (paste_is_on) write_all(paste_on, sizeof paste_on - 1);
  cncurses_resize();
  cncurses_forget();
}

void cncurses_stop_others(void) {
  struct sigaction ignored = {.sa_handler = SIG_IGN}, former;
  sigemptyset(&ignored.sa_mask);
  // Another thread would take the signal, and ncurses discards it if the next drawing comes first.
  if (sigaction(SIGTSTP, &ignored, &former) < 0) return;
  kill(0, SIGTSTP);
  sigaction(SIGTSTP, &former, 0);
}

void cncurses_resize(void) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0)
    resizeterm(size.ws_row, size.ws_col);
  compose_restoring();
}

void cncurses_size(int *columns, int *lines) {
  *columns = COLS;
  *lines = LINES;
}

// MARK: Drawing

void cncurses_erase(void) { erase(); }

void cncurses_draw(int line, int column, const uint32_t *scalars, size_t count, uint32_t style) {
  wchar_t text[CCHARW_MAX + 1];
  size_t used = 0;
  for (; used < count && used < CCHARW_MAX; used++) text[used] = (wchar_t)scalars[used];
  text[used] = 0;
  attr_t attributes = (style & CNCURSES_BOLD ? A_BOLD : 0) | (style & CNCURSES_DIM ? A_DIM : 0) |
                      (style & CNCURSES_REVERSED ? A_REVERSE : 0) | (style & CNCURSES_UNDERLINED ? A_UNDERLINE : 0);
  cchar_t cell;
  if (setcchar(&cell, text, attributes, (short)(style >> CNCURSES_COLOUR_SHIFT), NULL) == OK)
    // The last cell of the screen is drawn, and ERR says only that the cursor cannot follow.
    (void)mvadd_wch(line, column, &cell);
}

void cncurses_show(int line, int column) {
  curs_set(line >= 0);
  if (line >= 0) move(line, column);
  refresh();
}

void cncurses_forget(void) { clearok(stdscr, TRUE); }

// MARK: Keys

static int mouse_key(void) {
  MEVENT event;
  if (getmouse(&event) != OK) return CNCURSES_OTHER;
  mouse_column = event.x;
  mouse_line = event.y;
  if (event.bstate & BUTTON1_PRESSED) return CNCURSES_CLICK;
  if (event.bstate & BUTTON4_PRESSED) return CNCURSES_WHEEL_UP;
  if (event.bstate & BUTTON5_PRESSED) return CNCURSES_WHEEL_DOWN;
  return CNCURSES_OTHER;
}

int cncurses_next_key(void) {
  int key = getch();
  if (key == ERR) return CNCURSES_NONE;
  if (key >= 0 && key < 0x100) return key;
  switch (key) {
    case KEY_UP: return CNCURSES_UP;
    case KEY_DOWN: return CNCURSES_DOWN;
    case KEY_LEFT: return CNCURSES_LEFT;
    case KEY_RIGHT: return CNCURSES_RIGHT;
    case KEY_PPAGE: return CNCURSES_PAGE_UP;
    case KEY_NPAGE: return CNCURSES_PAGE_DOWN;
    case KEY_HOME: case KEY_FIND: return CNCURSES_HOME;
    case KEY_END: case KEY_LL: case KEY_SELECT: return CNCURSES_END;
    case KEY_DC: return CNCURSES_DELETE;
    case KEY_BACKSPACE: return CNCURSES_BACKSPACE;
    case KEY_ENTER: return CNCURSES_ENTER;
    case KEY_HELP: case KEY_F(1): return CNCURSES_HELP;
    case KEY_MOUSE: return mouse_key();
    case PASTE_BEGIN: return CNCURSES_PASTE_BEGIN;
    case PASTE_END: return CNCURSES_PASTE_END;
    default: return CNCURSES_OTHER;
  }
}

void cncurses_mouse(int *column, int *line) {
  *column = mouse_column;
  *line = mouse_line;
}

int cncurses_input_ended(void) {
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  if (poll(&input, 1, 0) <= 0) return 0;
  if (input.revents & (POLLHUP | POLLERR | POLLNVAL)) return 1;
  int count = 0;
  return (input.revents & POLLIN) && ioctl(STDIN_FILENO, FIONREAD, &count) == 0 && count == 0;
}
