#!/usr/bin/env bash
# Runs one fuzz target under libFuzzer: fuzz.sh TARGET SECONDS. Its corpus and findings are kept in target/fuzz.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=$1 seconds=$2
coverage="inline-8bit-counters level=4 pc-table trace-compares stack-depth"
flags="--cfg fuzzing --cfg fuzzing_libfuzzer -Cpasses=sancov-module"
for option in $coverage; do
    flags+=" -Cllvm-args=-sanitizer-coverage-$option"
done
# Coverage is an option of unstable compilers; the stable one has it under this variable.
export RUSTC_BOOTSTRAP=1 BOLERO_FUZZER=libfuzzer RUSTFLAGS=$flags
build=(cargo test --release -p fireset-fuzz --target "$(rustc -vV | sed -n 's/^host: //p')" --target-dir target/fuzz)
"${build[@]}" --no-run
mkdir -p "target/fuzz/corpus/$target"
export BOLERO_TEST_NAME=$target BOLERO_LIBTEST_HARNESS=1
export BOLERO_LIBFUZZER_ARGS="$PWD/target/fuzz/corpus/$target -max_total_time=$seconds -artifact_prefix=$PWD/target/fuzz/$target-"
"${build[@]}" "$target" -- --exact --nocapture --quiet --test-threads 1
