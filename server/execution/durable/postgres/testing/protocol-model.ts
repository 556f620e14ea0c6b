/**
 * The protocol of claims, steps, parks, wakes and rescues as a small model: three processes, and two runs of a flow
 * that executes one at a time. Each run does one step, waits for one reason to continue, and ends. Every order of
 * events is explored, and the absence of any guard must be detected.
 */
type Phase = 'claimed' | 'begun' | 'placed' | 'proven' | 'done' | 'kept' | 'rowParked' | 'parked' | 'ended';

/** A claim as its process sees it; `wakes` are the reasons that it knew at its begin. */
interface Hold {
  phase: Phase;
  claim: number;
  wakes: number;
}

interface Run {
  /** The library's workflow: its owner, or the number of the signal that it waits for, or neither. */
  owner: number;
  signal: number;
  claims: number;
  /** The row; `attempt` is the last claim that began. */
  attempt: number;
  parks: number;
  wakes: number;
  seen: number;
  isWaiting: boolean;
  isPlaced: boolean;
  records: number;
  ends: number;
  /** The giver of the reason: not yet, counted with that many parks, notified. */
  waker: 'before' | 'after' | number;
  holds: (Hold | null)[];
}

interface State {
  faults: number;
  runs: Run[];
  fault: string;
}

interface World {
  /** Crashes and lost leases. */
  readonly faults: number;
  readonly sweeps: boolean;
}

type Guard =
  | 'record-owner'
  | 'end-attempt'
  | 'begin-attempt'
  | 'read-records'
  | 'send-owner'
  | 'park-recheck'
  | 'place-first'
  | 'place-count'
  | 'place-alive';

const PROCESSES = [0, 1, 2];
const NOBODY = -1;
/** No process dies, and nothing is swept. */
export const CALM: World = { faults: 0, sweeps: false };
/** A process dies or loses its lease at any moment. */
export const FAULTY: World = { faults: 1, sweeps: true };

function begin(): State {
  const run = (): Run => ({
    owner: NOBODY,
    signal: NOBODY,
    claims: 0,
    attempt: 0,
    parks: 0,
    wakes: 0,
    seen: 0,
    isWaiting: false,
    isPlaced: false,
    records: 0,
    ends: 0,
    waker: 'before',
    holds: [null, null, null],
  });
  return { faults: 0, runs: [run(), run()], fault: '' };
}

/** Sends a signal: it wakes only a park that waits for exactly this one. */
function send(run: Run, parks: number): void {
  if (run.signal === parks) run.signal = NOBODY;
}

/** The end of a pass in the row: it parks the run, or ends it if there is a reason to continue. */
function settle(state: State, run: Run, p: number, dropped: Guard | undefined): void {
  const hold = run.holds[p] as Hold;
  const isLast = run.attempt === hold.claim && run.ends === 0;
  const parks = hold.wakes === 0;
  if (!isLast && (parks || dropped !== 'end-attempt')) {
    run.holds[p] = null;
  } else if (parks) {
    run.isWaiting = true;
    run.parks++;
    hold.phase = 'rowParked';
  } else {
    if (++run.ends > 1) state.fault = 'C7: a run ended twice';
    if (run.attempt !== hold.claim) state.fault = 'C1: a lost claim ended the run';
    run.isPlaced = run.isWaiting = false;
    hold.phase = 'ended';
  }
}

/** One move of the pass that process `p` executes. */
function pass(state: State, run: Run, p: number, dropped: Guard | undefined): void {
  const hold = run.holds[p] as Hold;
  const has = (guard: Guard): boolean => guard !== dropped;
  const isOwner = run.owner === p && run.claims === hold.claim;
  const giveUp = (): void => void (run.holds[p] = null);
  const moves: Record<Phase, () => void> = {
    claimed() {
      if (run.ends > 0 || (has('begin-attempt') && run.attempt >= hold.claim)) {
        if (isOwner) run.owner = -2;
        return giveUp();
      }
      if (run.attempt > hold.claim) state.fault = 'C1: an older claim began after a newer one';
      run.attempt = hold.claim;
      run.isWaiting = false;
      hold.wakes = run.seen = run.wakes;
      hold.phase = has('place-first') ? 'begun' : 'placed';
    },
    begun() {
      const taken = state.runs.some((other) => other !== run && other.isPlaced);
      if (taken && has('place-count')) return;
      if (run.ends > 0 && has('place-alive')) return giveUp();
      run.isPlaced = true;
      hold.phase = 'placed';
    },
    placed() {
      if (run.records > 0 && has('read-records')) hold.phase = 'kept';
      else if (isOwner) hold.phase = 'proven';
      else giveUp();
    },
    // The step has begun; what it sends goes out now, perhaps long after.
    proven() {
      if (!isOwner && has('send-owner')) return giveUp();
      if (run.records > 0) state.fault = 'C4: a recorded step was done again';
      hold.phase = 'done';
    },
    done() {
      if (!isOwner && has('record-owner')) return giveUp();
      if (!isOwner) state.fault = 'C1: a step of a lost claim was recorded';
      if (++run.records > 1) state.fault = 'C2: a record was made twice';
      hold.phase = 'kept';
    },
    kept: () => settle(state, run, p, dropped),
    rowParked() {
      if (!isOwner) return giveUp();
      run.owner = NOBODY;
      run.signal = run.parks;
      hold.phase = 'parked';
    },
    parked() {
      if (has('park-recheck') && run.wakes !== hold.wakes) send(run, run.parks);
      giveUp();
    },
    ended() {
      // -2: the workflow is complete and cannot be claimed.
      if (isOwner) run.owner = -2;
      giveUp();
    },
  };
  moves[hold.phase]();
}

/** The possible next states. */
function next(state: State, world: World, dropped: Guard | undefined): State[] {
  const found: State[] = [];
  const may = (change: (made: State) => void): void => {
    const made = structuredClone(state);
    change(made);
    found.push(made);
  };
  state.runs.forEach((run, r) => {
    const of = (made: State): Run => made.runs[r] as Run;
    for (const p of PROCESSES) {
      if (run.holds[p] !== null) may((made) => pass(made, of(made), p, dropped));
      // Processes are alike, so the first idle one stands for all.
      else if (run.owner === NOBODY && run.signal === NOBODY && p === run.holds.indexOf(null))
        may((made) => {
          const one = of(made);
          one.owner = p;
          one.holds[p] = { phase: 'claimed', claim: ++one.claims, wakes: 0 };
        });
      if (state.faults < world.faults && run.holds[p] !== null)
        may((made) => {
          made.faults++;
          for (const one of made.runs) {
            if (one.owner === p) one.owner = NOBODY;
            one.holds[p] = null;
          }
        });
    }
    if (run.owner >= 0 && state.faults < world.faults)
      may((made) => {
        made.faults++;
        of(made).owner = NOBODY;
      });
    if (run.waker === 'before' && run.ends === 0)
      may((made) => {
        const one = of(made);
        one.wakes++;
        one.waker = one.parks;
      });
    if (typeof run.waker === 'number') {
      const parks = run.waker;
      may((made) => {
        const one = of(made);
        if (one.owner < 0) send(one, parks);
        one.waker = 'after';
      });
      if (state.faults < world.faults)
        may((made) => {
          made.faults++;
          of(made).waker = 'after';
        });
    }
    if (world.sweeps && run.isWaiting && run.wakes !== run.seen && run.owner < 0)
      may((made) => send(of(made), of(made).parks));
  });
  return found;
}

/** The fault of a state, if any; `isStuck` if nothing else can happen. */
function wrongIn(state: State, isStuck: boolean): string | undefined {
  if (state.fault !== '') return state.fault;
  const atWork = state.runs.filter(({ holds }) =>
    holds.some((hold) => hold?.phase === 'proven' || hold?.phase === 'done'),
  );
  if (atWork.some(({ isPlaced, ends }) => !isPlaced && ends === 0)) return 'C8: a run works without a place';
  if (state.runs.filter(({ isPlaced }) => isPlaced).length > 1) return 'C8: two runs have the only place';
  if (state.runs.some(({ isPlaced, ends }) => isPlaced && ends > 0)) return 'C8: an ended run has a place';
  if (isStuck && state.runs.some(({ ends }) => ends === 0)) return 'C6: a run never ends';
  return undefined;
}

/** Explores all states of a protocol, without a guard if one is named; returns their number and the first fault. */
export function explore(world: World, dropped?: Guard): { states: number; wrong: string | undefined } {
  const first = begin();
  const seen = new Set([JSON.stringify(first)]);
  const open = [first];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const own = JSON.stringify(state);
    let isStuck = true;
    for (const made of next(state, world, dropped)) {
      const key = JSON.stringify(made);
      if (key === own) continue;
      isStuck = false;
      if (seen.has(key)) continue;
      seen.add(key);
      open.push(made);
    }
    const wrong = wrongIn(state, isStuck);
    if (wrong !== undefined) return { states: seen.size, wrong };
  }
  return { states: seen.size, wrong: undefined };
}
