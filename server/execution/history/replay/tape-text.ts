import type { RecordedRun, Run, RunTape } from '#engine';
import type { Flow } from '#shared/flow.ts';
import type { RunRequest } from '../../../flows/service/run-request.ts';
import { createPieceMask } from '../../../base/secrets/redact-value.ts';
import type { Redactor } from '../../../base/secrets/redactor.ts';
import { boundValue } from '../bound-value.ts';

/** The stored data of a run from which it can be replayed. */
export interface StoredTape {
  readonly tape: RunTape;
  /** The flow as it ran, if no version of it is stored elsewhere. */
  readonly flow?: Flow;
}

/** Characters above which a tape is not stored. */
const MAX_LENGTH = 10 * 1024 * 1024;

export function isRecorded(run: Run): run is RecordedRun {
  return 'tape' in run;
}

/** The tape of a run without secrets and credentials, as JSON; undefined if it is too long to store. */
export function tapeText(
  run: RecordedRun,
  { flow, record, pass, source }: RunRequest,
  redactor: Redactor | undefined,
): string | undefined {
  const noted = run.tape();
  if (noted === undefined) return undefined;
  const tape = redactor?.active === true ? joined(noted, redactor) : noted;
  // Only live versions are stored, and a flow that is run by hand may be a draft, or made for this run.
  const mayBeLost = record === 'full' || (pass !== undefined && source === 'test');
  const stored: StoredTape = { tape, ...(mayBeLost && { flow: flow.flow }) };
  const masked = boundValue(stored, MAX_LENGTH, redactor) as Partial<StoredTape>;
  return masked.tape === undefined ? undefined : JSON.stringify(masked);
}

/** Also masks secrets that span several items of a stream. */
function joined(tape: RunTape, redactor: Redactor): RunTape {
  const mask = createPieceMask(redactor);
  const deliveries = tape.deliveries.map((one) =>
    'value' in one ? { ...one, value: mask(String(one.of), one.value) } : one,
  );
  return { ...tape, deliveries };
}
