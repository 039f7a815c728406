"""The program of the desktop build: processes it starts are copies of itself."""

import multiprocessing
import sys

from opdiff.__main__ import program

multiprocessing.freeze_support()
sys.exit(program())
