"""What holds for all tests."""

from __future__ import annotations

import signal

# Shells start background jobs deaf to Ctrl-C, and programs inherit that; tests of Ctrl-C must work there too.
signal.signal(signal.SIGINT, signal.default_int_handler)
