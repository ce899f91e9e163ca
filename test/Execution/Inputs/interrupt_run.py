#!/usr/bin/env python3
"""Interrupts `llm-run`, which would measure for years, and ends as it ends.

    interrupt_run.py WEIGHTS COMMAND..

The interrupt comes once the weights are written: the tool notes interrupts from its start on. So nothing depends on how
fast the machine is.
"""
import os
import signal
import subprocess
import sys
import time

weights, *command = sys.argv[1:]
tool = subprocess.Popen(command)
while not os.path.exists(weights) and tool.poll() is None:
    time.sleep(0.01)
tool.send_signal(signal.SIGINT)
sys.exit(tool.wait())
