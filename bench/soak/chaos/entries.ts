import { appendFileSync, readFileSync } from 'node:fs';

/** What can be done to a process, the database or Restate. */
export const faultKinds = [
  'kill',
  'freeze',
  'database',
  'delay',
  'drop',
  'half-open',
  'clock',
  'deaf',
  'restate',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Times are Unix milliseconds of the machine, which no fault changes. */
export type Entry =
  /** A flow was published: which steps need which, and how many of its runs may be at work. */
  | {
      readonly kind: 'flow';
      readonly at: number;
      readonly flow: string;
      readonly version: string;
      readonly parents: Readonly<Record<string, readonly string[]>>;
      readonly maxRuns?: number | undefined;
    }
  /** `node`: the process that suffers from it; without, it hits all. */
  | {
      readonly kind: 'fault';
      readonly at: number;
      readonly until: number;
      readonly fault: FaultKind;
      readonly node?: string | undefined;
      /** The one that it is a part of. */
      readonly during?: FaultKind | undefined;
    }
  /** The machine let a process, or without a name the database or the harness, stand still. */
  | {
      readonly kind: 'stall';
      readonly at: number;
      readonly until: number;
      readonly node?: string | undefined;
    }
  /** A step came over a socket; `given`: the nonces of the results that it was given. */
  | {
      readonly kind: 'call';
      readonly at: number;
      readonly id: number;
      readonly flow: string;
      readonly run: string;
      readonly step: string;
      readonly attempt: number;
      readonly key: string;
      readonly owner: string;
      readonly version: string;
      readonly given: readonly string[];
    }
  /** It was answered: the whole answer was handed over. */
  | {
      readonly kind: 'answer';
      readonly at: number;
      readonly id: number;
      readonly status: number;
      readonly nonce: string;
    }
  /** The end of a run arrived; it was answered at `until`. */
  | {
      readonly kind: 'told';
      readonly at: number;
      readonly until: number;
      readonly run: string;
      readonly owner: string;
      /** Why the run failed. */
      readonly error?: string | undefined;
    }
  /** A time of the schedule, as the run that it started tells it. */
  | { readonly kind: 'tick'; readonly at: number; readonly due: number; readonly run: string }
  /** What a process acknowledged. */
  | {
      readonly kind: 'accepted';
      readonly at: number;
      /** When it was asked for first: an attempt whose answer was lost may have begun it. */
      readonly askedAt: number;
      readonly run: string;
      readonly name: string;
      readonly flow: string;
    }
  | { readonly kind: 'retried'; readonly at: number; readonly run: string; readonly as: string }
  | { readonly kind: 'cancelled'; readonly at: number; readonly run: string }
  | { readonly kind: 'decided'; readonly at: number; readonly run: string; readonly wait: string }
  | { readonly kind: 'revoked'; readonly at: number; readonly key: string }
  | {
      readonly kind: 'tried';
      readonly at: number;
      readonly key: string;
      readonly node: string;
      readonly status: number;
    }
  /** A process claimed a run, or wrote about it: what triggers of the database saw, in its order. */
  | {
      readonly kind: 'claim';
      readonly at: number;
      readonly run: string;
      readonly node: string;
      readonly what: 'claimed' | 'begun' | 'parked' | 'ended';
      /** That of the library: a start that is repeated makes another one, which finds nothing to do. */
      readonly workflow?: string | undefined;
      readonly attempt: number;
    }
  /** `digest`: of what was recorded. */
  | {
      readonly kind: 'record';
      readonly at: number;
      readonly run: string;
      readonly step: string;
      readonly node: string;
      readonly digest: string;
      readonly workflow?: string | undefined;
    }
  /** A row that must not change did. */
  | { readonly kind: 'changed'; readonly at: number; readonly run: string; readonly what: string }
  /** What the database says in the end. */
  | {
      readonly kind: 'run';
      readonly at: number;
      readonly run: string;
      readonly isOver: boolean;
      readonly cancelled: boolean;
    }
  | { readonly kind: 'wait'; readonly at: number; readonly wait: string; readonly status: string };

export type Of<K extends Entry['kind']> = Extract<Entry, { readonly kind: K }>;

/** An append-only file: what is in it was seen by the harness at that moment. */
export class EntryLog {
  readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  add(entry: Entry): void {
    appendFileSync(this.file, `${JSON.stringify(entry)}\n`);
  }

  read(): Entry[] {
    const lines = readFileSync(this.file, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Entry);
  }
}

/** Those of one kind, in the order of the log. */
export function only<K extends Entry['kind']>(entries: readonly Entry[], kind: K): Of<K>[] {
  return entries.filter((entry): entry is Of<K> => entry.kind === kind);
}

export function grouped<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
}
