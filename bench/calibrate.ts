import { calibration, median, perCall } from './harness.ts';

/** Prints nanoseconds of one pass of the calibration loop. */

const WARM_MS = 150;
const sample = perCall(calibration);
// Until V8 has compiled it, on a thread of its own, the loop is ten times slower.
for (const end = performance.now() + WARM_MS; performance.now() < end; ) sample();
process.stdout.write(String(median(Array.from({ length: 9 }, sample))));
