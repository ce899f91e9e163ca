# Decisions of an op on its line (sed -zE): for tests that look for what stands together, or that edit one op.
s/([[<])\n +/\1/g
s/\n +([]>])/\1/g
s/,\n +/, /g
