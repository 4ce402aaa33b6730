// A full screen drawn by ncurses, behind plain C types. Swift cannot import what ncurses.h is made of: macros, variadic functions
// and mutable global variables. All functions belong to one thread, except where a comment says otherwise.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stddef.h>
#include <stdint.h>

// The style of a cell: attributes, and one colour in the bits from CNCURSES_COLOUR_SHIFT on.
enum { CNCURSES_BOLD = 1, CNCURSES_DIM = 2, CNCURSES_REVERSED = 4, CNCURSES_UNDERLINED = 8, CNCURSES_COLOUR_SHIFT = 8 };
enum { CNCURSES_PLAIN = 0, CNCURSES_GREEN, CNCURSES_YELLOW, CNCURSES_RED, CNCURSES_CYAN };

// Keys that are no bytes. A byte is returned as its value, 0 to 255.
enum {
  CNCURSES_NONE = -1,
  CNCURSES_UP = 0x100,
  CNCURSES_DOWN,
  CNCURSES_LEFT,
  CNCURSES_RIGHT,
  CNCURSES_PAGE_UP,
  CNCURSES_PAGE_DOWN,
  CNCURSES_HOME,
  CNCURSES_END,
  CNCURSES_DELETE,
  CNCURSES_BACKSPACE,
  CNCURSES_ENTER,
  CNCURSES_HELP,
  CNCURSES_PASTE_BEGIN,
  CNCURSES_PASTE_END,
  // `cncurses_mouse` has where.
  CNCURSES_CLICK,
  CNCURSES_WHEEL_UP,
  CNCURSES_WHEEL_DOWN,
  CNCURSES_OTHER,
};

// Sets the locale from the environment (setlocale(3)), and returns whether its characters are UTF-8.
int cncurses_use_locale(void);

// The columns of a character in the locale: 0 for a mark that joins the one before, -1 if it cannot be printed (wcwidth(3)).
// From any thread.
int cncurses_width(uint32_t scalar);

// Takes over the terminal of standard input and output. Returns 0, -ENODEV if the type of the terminal (TERM) is unknown or cannot
// place its cursor, or another negated errno. `pipe` gets the end that the loop polls: one byte for each signal, and 0 for
// `cncurses_wake`.
int cncurses_begin(int uses_colour, int uses_mouse, int *pipe);

// Restores the terminal and the handlers of signals. A second call does nothing.
void cncurses_end(void);

// Wakes a loop that polls the pipe. From any thread, between begin and end.
void cncurses_wake(void);

// Takes one byte out of the pipe, or returns CNCURSES_NONE.
int cncurses_take_byte(void);

// Gives the terminal back for a moment, to another program or to the shell, and takes it over again.
void cncurses_leave(void);
void cncurses_return(void);

// Sends the signal of Ctrl-Z to the other processes of the job.
void cncurses_stop_others(void);
// Reads the size of the terminal again (SIGWINCH).
void cncurses_resize(void);
void cncurses_size(int *columns, int *lines);

void cncurses_erase(void);
// Draws one cell: a character and marks that join it.
void cncurses_draw(int line, int column, const uint32_t *scalars, size_t count, uint32_t style);
// Shows what was drawn, with the cursor at a place or, if `line` is negative, without a cursor.
void cncurses_show(int line, int column);
// The next show writes every cell.
void cncurses_forget(void);

// The next key, or CNCURSES_NONE. It does not wait, except a moment after ESC.
int cncurses_next_key(void);
void cncurses_mouse(int *column, int *line);

// Whether standard input is at its end.
int cncurses_input_ended(void);
