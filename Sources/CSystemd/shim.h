// The parts of libsystemd that Gather uses: readiness, inherited sockets, the watchdog, the journal.
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
