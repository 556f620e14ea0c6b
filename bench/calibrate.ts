import { calibration, median, perCall } from './harness.ts';

/** Prints the nanoseconds of one pass of the calibration loop. */

const WARM_MS = 150;
const sample = perCall(calibration);
// The loop is ten times slower until V8 has compiled it, in another thread.
for (const end = performance.now() + WARM_MS; performance.now() < end; ) sample();
process.stdout.write(String(median(Array.from({ length: 9 }, sample))));
