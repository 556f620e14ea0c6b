import { type Entry, type FaultKind, grouped, type Of, only } from './entries.ts';

export const invariants = ['C1', 'C2', 'C3', 'C4', 'C5', 'C6', 'C7', 'C8', 'S1', 'S2', 'B1', 'B2'] as const;
export type Invariant = (typeof invariants)[number];

export interface Violation {
  readonly invariant: Invariant;
  readonly at: number;
  readonly text: string;
  /** The last fault that had begun by then. */
  readonly fault: FaultKind | 'none';
}

type Found = Omit<Violation, 'fault'>;

/** How long a result that was received may take to be recorded on a busy machine, in milliseconds. */
const RECORD_MS = 3000;
/** How long a process may suffer from connections that were cut, after they are whole again, in milliseconds. */
const AFTER_MS = 5000;
/** No permission, and no version, is older than this, in milliseconds. */
export const OLD_MS = 10_000;
/** Of the schedule, in milliseconds. */
export const TICK_MS = 2000;

/** A step that came, with its answer if it was given. */
interface Called extends Of<'call'> {
  readonly over: Of<'answer'> | undefined;
}

interface Case {
  readonly entries: readonly Entry[];
  readonly calls: readonly Called[];
  readonly faults: readonly Of<'fault'>[];
  readonly stalls: readonly Of<'stall'>[];
}

/** Reads the log and counts what must not have happened. */
export function judge(entries: readonly Entry[]): Violation[] {
  const of = caseOf(entries);
  const { faults } = of;
  const found = [
    ...owners(of),
    ...recorders(of),
    ...unchanged(of),
    ...accepted(of),
    ...acknowledged(of),
    ...repeats(of),
    ...keys(of),
    ...versions(of),
    ...ends(of),
    ...tellings(of),
    ...limits(of),
    ...schedule(of),
    ...permissions(of),
  ];
  const all = [...found, ...unnoticed(of, found)];
  return all.map((one) => ({ ...one, fault: faultAt(faults, one.at) }));
}

export function caseOf(entries: readonly Entry[]): Case {
  const answers = new Map(only(entries, 'answer').map((answer) => [answer.id, answer]));
  const retries = new Map<string, number>();
  for (const { run, at, error } of only(entries, 'told'))
    if (error !== undefined) retries.set(run, Math.min(at, retries.get(run) ?? at));
  const calls = only(entries, 'call').map((call) => {
    // A retry goes on under the keys of the run that failed.
    const isRetry = (retries.get(call.run) ?? Number.POSITIVE_INFINITY) < call.at;
    return { ...call, run: isRetry ? retryOf(call.run) : call.run, over: answers.get(call.id) };
  });
  return { entries, calls, faults: only(entries, 'fault'), stalls: only(entries, 'stall') };
}

function retryOf(run: string): string {
  return `${run} again`;
}

function faultAt(faults: readonly Of<'fault'>[], at: number): Violation['fault'] {
  const begun = faults.filter((fault) => fault.at <= at).sort((a, b) => a.at - b.at);
  const last = begun.at(-1);
  return last?.during ?? last?.fault ?? 'none';
}

// ---------------------------------------------------------------------------------------------------- C1: owners

/** Each claim has a higher number, and only who has the last one writes. */
function owners({ entries }: Case): Found[] {
  const found: Found[] = [];
  const begun = new Map<string, Of<'claim'>>();
  for (const entry of only(entries, 'claim')) {
    const last = begun.get(entry.run);
    if (entry.what === 'begun') begun.set(entry.run, entry);
    if (last === undefined || entry.what === 'claimed') continue;
    const isLate = entry.what === 'begun' ? entry.attempt <= last.attempt : entry.node !== last.node;
    if (isLate)
      found.push(
        violation(
          'C1',
          entry,
          `${entry.node} has ${entry.what} ${entry.attempt} after ${last.node} ${last.attempt}`,
        ),
      );
  }
  return found;
}

function recorders({ entries }: Case): Found[] {
  const found: Found[] = [];
  const claims = new Map<string, string>();
  for (const entry of entries) {
    if (entry.kind === 'claim' && entry.what === 'claimed')
      claims.set(entry.workflow ?? entry.run, entry.node);
    if (entry.kind !== 'record') continue;
    const by = claims.get(entry.workflow ?? entry.run) ?? entry.node;
    if (by !== entry.node)
      found.push(violation('C1', entry, `${entry.node} recorded ${entry.step}, which ${by} has claimed`));
  }
  return found;
}

// ------------------------------------------------------------------------------------------ C2: records do not change

function unchanged({ entries, calls }: Case): Found[] {
  const found = only(entries, 'changed').map((one) => violation('C2', one, one.what));
  const recorded = new Map<string, string>();
  for (const record of only(entries, 'record')) {
    const key = `${record.run} ${record.step}`;
    // The same may come twice: the answer to the first time was lost.
    if ((recorded.get(key) ?? record.digest) !== record.digest)
      found.push(violation('C2', record, `${record.step} was recorded with another result`));
    recorded.set(key, record.digest);
  }
  const makers = new Map(calls.flatMap((call) => (call.over ? [[call.over.nonce, call] as const] : [])));
  const used = new Map<string, string>();
  for (const call of calls)
    for (const nonce of call.given) {
      const maker = makers.get(nonce);
      if (maker === undefined || maker.over?.status !== 200) {
        found.push(violation('C2', call, `${call.step} was given ${nonce}, which nobody answered`));
        continue;
      }
      const place = `${call.run} ${maker.step}`;
      const before = used.get(place);
      if (before !== undefined && before !== nonce)
        found.push(violation('C2', call, `the result of ${maker.step} was ${before} and is ${nonce}`));
      used.set(place, nonce);
    }
  return found;
}

// ------------------------------------------------------------------------------------- C3: what was acknowledged

function accepted({ entries }: Case): Found[] {
  const found: Found[] = [];
  const rows = new Set(only(entries, 'run').map(({ run }) => run));
  const names = new Map<string, string>();
  for (const one of only(entries, 'accepted')) {
    if (!rows.has(one.run)) found.push(violation('C3', one, `the run of ${one.name} is not in the database`));
    const before = names.get(one.name);
    if (before !== undefined && before !== one.run)
      found.push(violation('C3', one, `the key ${one.name} began ${before} too`));
    names.set(one.name, one.run);
  }
  return found;
}

function acknowledged({ entries }: Case): Found[] {
  const found: Found[] = [];
  const rows = new Map(only(entries, 'run').map((row) => [row.run, row]));
  const waits = new Map(only(entries, 'wait').map((row) => [row.wait, row]));
  for (const one of only(entries, 'retried'))
    if (!rows.has(one.as))
      found.push(violation('C3', { ...one, run: one.as }, 'the retry is not in the database'));
  for (const one of only(entries, 'cancelled'))
    if (rows.get(one.run)?.cancelled === false)
      found.push(violation('C3', one, 'the cancellation is not stored'));
  for (const one of only(entries, 'decided'))
    if (waits.get(one.wait)?.status !== 'decided')
      found.push(violation('C3', one, `the decision about ${one.wait} is not stored`));
  return found;
}

// ----------------------------------------------------------------------------------------------------- C4: repeats

/** Faults of a process that may cost it the steps that it has in flight. */
const COSTLY: ReadonlySet<FaultKind> = new Set(['kill', 'freeze', 'delay', 'drop', 'half-open']);

interface Repeat {
  readonly call: Called;
  readonly before: Called;
  /** Why it may: what happened to the process that had it in flight, or that the machine let it stand still. */
  readonly excuse: 'fault' | 'stall' | undefined;
}

/** The steps that came again though the call before was not refused. */
export function repeated({ calls, faults, stalls }: Case): Repeat[] {
  const all: Repeat[] = [];
  for (const same of grouped(calls, ({ run, step }) => `${run} ${step}`).values())
    for (const [i, call] of same.entries()) {
      const before = same[i - 1];
      // A refused attempt is repeated by the step itself.
      if (before === undefined || (before.over !== undefined && before.over.status >= 400)) continue;
      const byFault = faults.some((fault) => hits(fault, before, faults));
      const byStall = stalls.some((stall) => stops(stall, before, faults));
      all.push({ call, before, excuse: byFault ? 'fault' : byStall ? 'stall' : undefined });
    }
  return all;
}

function repeats(of: Case): Found[] {
  const { entries, calls } = of;
  const found: Found[] = [];
  const parents = new Map(only(entries, 'flow').map((flow) => [flow.flow, flow.parents]));
  const again = new Map(only(entries, 'retried').map(({ run, as }) => [as, retryOf(run)]));
  const recorded = new Map(
    only(entries, 'record').map(({ run, step, at }) => [`${again.get(run) ?? run} ${step}`, at]),
  );
  // The record of an attempt that was refused is not that of the step.
  for (const { run, step, over } of calls)
    if (over !== undefined && over.status >= 400) recorded.delete(`${run} ${step}`);
  const byRun = grouped(calls, ({ run }) => run);
  for (const { call, before, excuse } of repeated(of)) {
    const { run, step } = call;
    const say = (text: string): void =>
      void found.push(violation('C4', call, `${step} of ${call.owner}: ${text}`));
    const isAfter = (one: Called): boolean =>
      one.at < call.at && (parents.get(one.flow)?.[one.step] ?? []).includes(step);
    if ((byRun.get(run) ?? []).some(isAfter)) say('repeated after its result was used');
    else if ((recorded.get(`${run} ${step}`) ?? Number.POSITIVE_INFINITY) < call.at)
      say('repeated after it was recorded');
    else if (excuse === undefined) say(`repeated, though nothing happened to ${before.owner}`);
  }
  return found;
}

function keys({ calls }: Case): Found[] {
  return [...grouped(calls, ({ run, step }) => `${run} ${step}`).values()].flatMap((same) => {
    const other = same.find(({ key }) => key !== same[0]?.key);
    return other === undefined
      ? []
      : [violation('C4', other, `${other.step} came as ${other.key} and ${same[0]?.key}`)];
  });
}

/** Whether the step was in flight on the process when this happened to it. */
function hits(fault: Of<'fault'>, call: Called, faults: readonly Of<'fault'>[]): boolean {
  if (fault.node !== call.owner || !COSTLY.has(fault.fault)) return false;
  // What a killed process had sent may arrive a little later.
  const until = fault.fault === 'kill' ? fault.at + 1000 : fault.until + AFTER_MS;
  return call.at <= until && unrecordedUntil(call, faults) >= fault.at;
}

/** A process that stands still for a moment, or waits for a database that does, loses its claims. */
function stops({ node, at, until }: Of<'stall'>, call: Called, faults: readonly Of<'fault'>[]): boolean {
  if (node !== undefined && node !== call.owner) return false;
  return call.at <= until + AFTER_MS && unrecordedUntil(call, faults) >= at;
}

/** While the database cannot be reached, results wait to be recorded. */
function unrecordedUntil({ owner, over }: Called, faults: readonly Of<'fault'>[]): number {
  if (over === undefined) return Number.POSITIVE_INFINITY;
  let until = over.at + RECORD_MS;
  for (const fault of [...faults].sort((a, b) => a.at - b.at)) {
    const isBetween = fault.fault === 'database' || fault.fault === 'restate' || fault.node === owner;
    if (isBetween && fault.at <= until && fault.until + AFTER_MS > until) until = fault.until + AFTER_MS;
  }
  return until;
}

// ------------------------------------------------------------------------------------------- C5 to C8, S1, S2, B1, B2

function versions({ calls }: Case): Found[] {
  return [...grouped(calls, ({ run }) => run).values()].flatMap((same) => {
    const other = same.find(({ version }) => version !== same[0]?.version);
    return other === undefined
      ? []
      : [violation('C5', other, `took ${other.version} after ${same[0]?.version}`)];
  });
}

function ends({ entries }: Case): Found[] {
  return only(entries, 'run').flatMap((row) =>
    row.isOver ? [] : [violation('C6', row, 'never went on to its end')],
  );
}

function tellings({ entries, faults }: Case): Found[] {
  const found: Found[] = [];
  const told = grouped(only(entries, 'told'), ({ run }) => run);
  const over = new Set(only(entries, 'run').flatMap(({ run, isOver }) => (isOver ? [run] : [])));
  const asked = [
    ...only(entries, 'accepted'),
    ...only(entries, 'retried').map(({ as, at }) => ({ run: as, at })),
  ];
  for (const [run, [one]] of grouped(asked, (of) => of.run))
    if (one !== undefined && over.has(run) && !told.has(run))
      found.push(violation('C7', one, 'its end was never told'));
  for (const same of told.values())
    for (const [i, one] of same.entries()) {
      const beside = same.slice(0, i).find((other) => other.until > one.at && other.owner !== one.owner);
      const wasHit = faults.some(
        ({ node, at, until }) => node === beside?.owner && at <= one.at && until + AFTER_MS >= one.at,
      );
      if (beside !== undefined && !wasHit)
        found.push(violation('C7', one, `its end was told by ${beside.owner} and ${one.owner} at once`));
    }
  return found;
}

function limits({ entries, calls }: Case): Found[] {
  const most = new Map(only(entries, 'flow').map(({ flow, maxRuns }) => [flow, maxRuns]));
  const again = new Map(only(entries, 'retried').map(({ run, as }) => [as, retryOf(run)]));
  const ended = new Map(
    only(entries, 'claim').flatMap(({ run, at, what }) =>
      what === 'ended' ? [[again.get(run) ?? run, at] as const] : [],
    ),
  );
  const found: Found[] = [];
  for (const [flow, ofFlow] of grouped(calls, (call) => call.flow)) {
    const max = most.get(flow);
    if (max === undefined) continue;
    const spans = [...grouped(ofFlow, ({ run }) => run)].map(([run, same]) => ({
      run,
      from: Math.min(...same.map(({ at }) => at)),
      to: ended.get(run) ?? Math.max(...same.map(({ at, over }) => over?.at ?? at)),
    }));
    for (const { run, from: at } of spans) {
      const atWork = spans.filter(({ from, to }) => from <= at && to > at).length;
      if (atWork > max)
        found.push(violation('C8', { run, at }, `${atWork} runs of ${flow} are at work, ${max} may be`));
    }
  }
  return found;
}

function schedule({ entries }: Case): Found[] {
  const found: Found[] = [];
  const times = grouped(only(entries, 'tick'), ({ due }) => String(due));
  for (const same of times.values()) {
    const other = same.find(({ run }) => run !== same[0]?.run);
    if (other !== undefined)
      found.push(violation('S1', other, `${new Date(other.due).toISOString()} started ${same[0]?.run} too`));
  }
  const all = [...times.keys()].map(Number).sort((a, b) => a - b);
  for (const [i, due] of all.entries())
    for (let missed = (all[i - 1] ?? due) + TICK_MS; missed < due; missed += TICK_MS)
      found.push({ invariant: 'S2', at: missed, text: `${new Date(missed).toISOString()} started nothing` });
  return found;
}

/** Without notices everything arrives too, if later; a version within the time that a permission may be old. */
function unnoticed({ entries, faults, calls }: Case, found: readonly Found[]): Found[] {
  const deaf = faults.filter(({ fault }) => fault === 'deaf');
  const isDeaf = (at: number): boolean => deaf.some((fault) => fault.at <= at && at <= fault.until);
  const missing = found.filter(({ invariant, at }) => ['C6', 'C7', 'S2'].includes(invariant) && isDeaf(at));
  const begun = new Map(only(entries, 'accepted').map(({ run, askedAt }) => [run, askedAt]));
  const published = grouped(only(entries, 'flow'), ({ flow }) => flow);
  const old = [...grouped(calls, ({ run }) => run).values()].flatMap(([call]) => {
    const start = call && begun.get(call.run);
    if (call === undefined || start === undefined || !isDeaf(start)) return [];
    const newest = published.get(call.flow)?.findLast(({ at }) => at + OLD_MS < start);
    const isOld = newest !== undefined && Number(call.version) < Number(newest.version);
    return isOld
      ? [violation('B1', call, `began with version ${call.version}, ${newest.version} was live`)]
      : [];
  });
  return [...missing.map(({ at, text }) => ({ invariant: 'B1' as const, at, text })), ...old];
}

function permissions({ entries }: Case): Found[] {
  const revoked = new Map(only(entries, 'revoked').map(({ key, at }) => [key, at]));
  return only(entries, 'tried').flatMap(({ key, at, node, status }) => {
    const late = at - (revoked.get(key) ?? Number.POSITIVE_INFINITY);
    if (late <= OLD_MS || status >= 400) return [];
    return [{ invariant: 'B2' as const, at, text: `${node} took a key ${late} ms after it was revoked` }];
  });
}

function violation(
  invariant: Invariant,
  { run, at }: { readonly run: string; readonly at: number },
  text: string,
): Found {
  return { invariant, at, text: `run ${run}: ${text}` };
}
