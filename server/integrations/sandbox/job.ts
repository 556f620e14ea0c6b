import { limits } from './limits.ts';

/** The code of one node, as the host needs it. */
export interface PreparedUnit {
  /** Its number on the wire. */
  readonly id: number;
  readonly flow: string;
  readonly node: string;
  /** JSON that defines it. */
  readonly definition: string;
  readonly cpuMs: number;
  /** Milliseconds that a call may take in all. */
  readonly wallMs: number;
}

/** Why a call could not reach its end: a code of the error table. */
export type StopCode = 'code_timeout' | 'code_memory' | 'code_crashed' | 'code_unavailable';

/** The events for a job's owner. Exactly one of `value`, `done`, `thrown` and `stopped` comes, and it comes last. */
export interface JobEvents {
  value(text: string): void;
  thrown(text: string): void;
  stopped(code: StopCode, message: string): void;
  /** It begins again elsewhere; nothing of it had run. */
  again?(): void;
  /** A generator's item, its end, and its request for more of its input. */
  item?(text: string): void;
  done?(): void;
  want?(count: number): void;
  log(text: string): void;
  /** A request of the code: its number, its kind, and its arguments (JSON). */
  ask(number: number, name: string, args: string): void;
}

let lastId = 0;

/** One call of code, from the service to a host and back, surviving deaths of hosts that it did not cause. */
export class Job {
  readonly id = (lastId = (lastId % 0x7fff_ffff) + 1);
  readonly unit: PreparedUnit;
  readonly op: 'C' | 'G';
  /** JSON for the code's side. */
  readonly payload: string;
  readonly events: JobEvents;
  /** It has reached the outside, so it cannot be restarted. */
  touched = false;
  /** How often it was lost alone, and together with others. */
  tries = 0;
  losses = 0;
  /** It was also started on a second host, because the first one is silent; the first host to report on it keeps it. */
  isDouble = false;
  /** How often that happened. */
  moves = 0;
  /** Why it may be the one that ends hosts; it then runs alone. */
  suspicion: StopCode | undefined = undefined;
  /** Since when it waits for a host that is not ready yet, in milliseconds of `performance`. */
  waitsSince: number | undefined = undefined;
  /** A host has said something about it. */
  hasBegun = false;
  over = false;

  constructor(unit: PreparedUnit, op: 'C' | 'G', payload: string, events: JobEvents) {
    this.unit = unit;
    this.op = op;
    this.payload = payload;
    this.events = events;
    this.touched = op === 'G';
  }

  /** Whether it can be restarted. */
  get canRepeat(): boolean {
    return !this.touched && this.tries < limits.tries && this.losses < limits.losses;
  }

  stop(code: StopCode, message: string): void {
    if (this.over) return;
    this.over = true;
    this.events.stopped(code, message);
  }
}
