import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { cacheFolder } from './folders.ts';

/** `TEST_UNTIL` (Unix time in seconds): no stage and no test file begins after it, and those that did not are listed at the end. */
export function isTimeOver(): boolean {
  const until = process.env['TEST_UNTIL'];
  return until ? Date.now() > Number(until) * 1000 : false;
}

const noted = (): string => process.env['TEST_NOT_RUN'] ?? `${cacheFolder}/not-run.txt`;

/** `what` is the path of a test file, or the name of a stage. */
export function noteNotRun(what: string): void {
  appendFileSync(noted(), `${what}\n`);
}

/** What was noted since `forgetNotRun`. */
export function notRun(): string[] {
  return existsSync(noted()) ? readFileSync(noted(), 'utf8').trimEnd().split('\n') : [];
}

export function forgetNotRun(): void {
  rmSync(noted(), { force: true });
}
