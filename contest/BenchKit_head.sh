#!/bin/sh
# The entry of the Model Checking Contest. BenchKit runs it in the directory of an instance, with BK_EXAMINATION,
# BK_TIME_CONFINEMENT and BK_MEMORY_CONFINEMENT, which fireset reads itself. The binary lies in BK_BIN_PATH, or is
# found as any command is.
set -eu

if [ -n "${BK_BIN_PATH:-}" ] && [ -x "$BK_BIN_PATH/fireset" ]; then
    fireset=$BK_BIN_PATH/fireset
elif command -v fireset > /dev/null 2>&1; then
    fireset=fireset
else
    echo CANNOT_COMPUTE
    echo "fireset is neither in BK_BIN_PATH nor in PATH" >&2
    exit 2
fi

if [ -z "${BK_EXAMINATION:-}" ]; then
    echo CANNOT_COMPUTE
    echo "BK_EXAMINATION is not set: it names what to answer, such as OneSafe" >&2
    exit 2
fi

# The shell is replaced, so that signals reach fireset.
exec "$fireset" mcc .
