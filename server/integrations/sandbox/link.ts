import type { Socket } from 'node:net';
import { frame, FrameReader, line, readLine } from './host/wire.js';
import type { Job, PreparedUnit, StopCode } from './job.ts';
import { limits } from './limits.ts';
import type { SandboxHost } from './spawn.ts';

/** Milliseconds between two checks of a host that has work. */
const WATCH_MS = 25;
/** Milliseconds that a host may be silent beyond its longest permitted stretch of code. */
const SILENCE_MS = 500;
/**
 * Consecutive checks that find a host silent, and milliseconds that it has computed meanwhile, until other hosts get
 * its work.
 */
const RELIEF_TICKS = 4;
const RELIEF_CPU_MS = 40;
/** Consecutive checks that find too much memory; before the last of them the host can still tell who uses it. */
const FULL_LOOKS = 6;
/** The most code that a host in reserve opens in advance. */
const MAX_WARM = 16;
/** How many times as long a host may be silent if it gets no processor. */
const PATIENCE = 6;
/** Milliseconds for a host that is ending to give back its jobs. */
const LEAVE_MS = 1000;
/** Milliseconds that its start may take. */
const START_MS = 15_000;
/** The most units that a host knows, and the most characters of their definitions; the least recently used go first. */
const MAX_KNOWN = 2000;
const MAX_DEFINITIONS = 8_000_000;
/** Characters of a host's own words that the log gets. */
const MAX_WORDS = 2000;
const ENGINES: ReadonlySet<string> = new Set(['isolated-vm', 'quickjs']);

export interface LinkEvents {
  /** The host has ended. `left` are its unfinished jobs, `why` what they may have caused. */
  ended(link: HostLink, left: readonly Job[], why: StopCode): void;
  /** The host accepts no more jobs, because it is ending. */
  leaves(link: HostLink): void;
  /** Memory is short there: new jobs should run on another host. */
  full(link: HostLink): void;
  /** A job that has not begun, because memory is short there. */
  notBegun(link: HostLink, job: Job): void;
  /** The host is silent: jobs that have not reached the outside need not wait for it. */
  silent(link: HostLink): void;
  /** The host has reported on a job that was also started elsewhere. */
  claimed(link: HostLink, job: Job): void;
  /** The host has nothing left to do. */
  idle(link: HostLink): void;
  /** A job that the host gave back, with its suspicion. */
  returned(job: Job, suspicion: StopCode | undefined): void;
  /** A job has ended, or has reached the outside: it is not what ends hosts. */
  through(job: Job): void;
  warn(message: string): void;
}

/**
 * A sandbox host and the socket to it.
 *
 * LK1. Everything sent in one turn of the event loop travels in one frame.
 * LK2. A host that is silent for longer than its code may compute, or uses more memory than it may, is killed.
 * LK3. It keeps this process alive only while it has work.
 * LK4. Code may have taken over the host, so its words are checked: what is no message of it in its place ends it.
 */
export class HostLink {
  readonly jobs = new Map<number, Job>();
  private readonly host: SandboxHost;
  private readonly socket: Socket;
  private readonly events: LinkEvents;
  private readonly known = new Map<number, PreparedUnit>();
  private definitions = 0;
  private readonly reader = new FrameReader();
  private readonly watch: NodeJS.Timeout;
  private outgoing = '';
  /** A job was dropped since the last message of the host: it may still be running there. */
  hasDropped = false;
  wasKilled = false;
  /** Memory is short there. */
  isNearlyFull = false;
  /** The flow of the last call that it had to stop, and when (milliseconds of `performance`). */
  lastStop: { readonly flow: string; readonly at: number } | undefined = undefined;
  private silentTicks = 0;
  private fullLooks = 0;
  private cpuBefore = 0;
  private longestCpu: number = limits.cpuMs;
  private why: StopCode = 'code_crashed';
  private isLeaving = false;
  private hasEnded = false;
  /** The engine that runs the code there, once it is ready. */
  engine: string | undefined = undefined;

  constructor(host: SandboxHost, events: LinkEvents) {
    this.events = events;
    this.host = host;
    this.socket = host.socket;
    this.socket.on('data', (chunk: Buffer) => this.read(chunk));
    this.socket.on('error', () => {});
    host.onEnd((lastWords) => this.ended(lastWords));
    this.watch = setInterval(() => this.look(), WATCH_MS);
    this.setWorking(false);
  }

  /** It computes without a word, so that nobody should wait for it. */
  get isSilent(): boolean {
    const cpuMs = this.host.usage().cpuMs - this.cpuBefore;
    return this.engine !== undefined && this.silentTicks >= RELIEF_TICKS && cpuMs >= RELIEF_CPU_MS;
  }

  get pid(): number | undefined {
    return this.host.pid;
  }

  /** Runs a job; alone if it is under suspicion. */
  run(job: Job): void {
    const { unit } = job;
    if (this.jobs.size === 0) this.setWorking(true);
    this.jobs.set(job.id, job);
    job.waitsSince = this.engine === undefined ? (job.waitsSince ?? performance.now()) : undefined;
    if (!this.known.delete(unit.id)) this.define(unit);
    this.known.set(unit.id, unit);
    this.send(job.op === 'C' && job.suspicion !== undefined ? 'A' : job.op, job, job.payload);
  }

  /** Opens in advance the code that the other host got last. */
  warmFrom(other: HostLink): void {
    for (const unit of [...other.known.values()].slice(-MAX_WARM)) {
      if (this.known.size >= MAX_WARM) return;
      if (this.known.has(unit.id)) continue;
      this.define(unit);
      this.known.set(unit.id, unit);
      this.say(line('W', 0, unit.id, ''));
    }
  }

  private define(unit: PreparedUnit): void {
    this.definitions += unit.definition.length;
    if (this.known.size >= MAX_KNOWN || this.definitions > MAX_DEFINITIONS) this.forgetUnits();
    this.longestCpu = Math.max(this.longestCpu, unit.cpuMs);
    this.say(line('U', 0, unit.id, unit.definition));
  }

  /** Down to half of them, so that this is rare. */
  private forgetUnits(): void {
    const inUse = new Set([...this.jobs.values()].map(({ unit }) => unit.id));
    for (const { id, definition } of this.known.values()) {
      if (this.known.size <= MAX_KNOWN / 2 && this.definitions <= MAX_DEFINITIONS / 2) return;
      if (inUse.has(id)) continue;
      this.known.delete(id);
      this.definitions -= definition.length;
      this.say(line('Z', 0, id, ''));
    }
  }

  /** Sends something about a job that is here; ignored for other jobs. */
  send(op: string, job: Job, text: string): void {
    if (this.jobs.has(job.id)) this.say(line(op, job.id, job.unit.id, text));
  }

  /** Nobody waits for it any more. */
  drop(job: Job): void {
    if (!this.jobs.has(job.id)) return;
    this.send('X', job, '');
    this.hasDropped = true;
    this.forget(job);
  }

  /** Ends it for good, because it is no longer needed. */
  kill(): void {
    this.wasKilled = true;
    this.host.kill();
    clearInterval(this.watch);
  }

  private say(text: string): void {
    if (this.outgoing === '') setImmediate(() => this.flush());
    this.outgoing += text;
  }

  private flush(): void {
    const text = this.outgoing;
    this.outgoing = '';
    if (text !== '' && !this.hasEnded) this.socket.write(frame(text));
  }

  private read(chunk: Buffer): void {
    this.silentTicks = 0;
    this.hasDropped = false;
    try {
      for (const text of this.reader.push(chunk)) this.hear(text);
    } catch (error) {
      // Too long, or malformed: whoever sends there has taken over the host.
      this.events.warn(`A sandbox host sent something forbidden: ${String(error)}`);
      this.end('code_crashed');
    }
  }

  private hear(text: string): void {
    const { op, id, text: body } = readLine(text);
    if (op === 'Y') this.ready(body);
    else if (op === 'B') this.leaves();
    else if (op === 'M') this.full();
    else if (op === 'L' && id === 0 && this.engine === undefined) this.events.warn(body.slice(0, MAX_WORDS));
    const job = this.jobs.get(id);
    if (!job) return;
    if (job.isDouble && op !== 'N' && op !== 'M') this.events.claimed(this, job);
    this.tell(job, op, body);
  }

  private ready(engine: string): void {
    if (this.engine !== undefined || !ENGINES.has(engine))
      throw new RangeError('It is ready twice, or with nothing.');
    this.engine = engine;
    for (const job of this.jobs.values()) job.waitsSince = undefined;
  }

  private full(): void {
    this.isNearlyFull = true;
    this.events.full(this);
  }

  /** Its own exit would wait for threads with code that nothing interrupts. */
  private leaves(): void {
    this.isLeaving = true;
    this.events.leaves(this);
    if (this.jobs.size === 0) this.host.kill();
    else setTimeout(() => this.host.kill(), LEAVE_MS).unref();
  }

  private tell(job: Job, op: string, text: string): void {
    const { events } = job;
    if (op === 'V') return this.close(job, () => events.value(text));
    if (op === 'T') return this.close(job, () => events.thrown(text));
    if (op === 'D') return this.close(job, () => events.done?.());
    if (op === 'K') return this.stopped(job, text);
    if (op === 'N') return this.giveBack(job, text);
    if (op === 'M') return this.notBegun(job);
    job.hasBegun = true;
    this.pass(job, op, text);
  }

  /** What a call says before its end. */
  private pass(job: Job, op: string, text: string): void {
    const { events } = job;
    if (op === 'I') events.item?.(text);
    else if (op === 'W') events.want?.(Number(text));
    else if (op === 'L') events.log(text);
    else if (op === 'H') this.asked(job, text);
  }

  private close(job: Job, tell: () => void): void {
    this.forget(job);
    job.over = true;
    tell();
    this.events.through(job);
  }

  private stopped(job: Job, text: string): void {
    const { code, message } = JSON.parse(text) as Record<string, unknown>;
    if (!isStopCode(code) || typeof message !== 'string')
      throw new RangeError('It stopped a call without a reason.');
    this.lastStop = { flow: job.unit.flow, at: performance.now() };
    this.forget(job);
    job.stop(code, message);
    this.events.through(job);
  }

  private giveBack(job: Job, suspicion: string): void {
    if (suspicion !== '' && !isStopCode(suspicion))
      throw new RangeError('It gave a call back without a reason.');
    this.forget(job);
    this.events.returned(job, suspicion === '' ? undefined : suspicion);
  }

  private notBegun(job: Job): void {
    if (job.hasBegun) throw new RangeError('It gave back a call that has begun.');
    this.forget(job);
    this.events.notBegun(this, job);
  }

  private asked(job: Job, text: string): void {
    job.touched = true;
    const [number = '', name = ''] = text.split(' ', 2);
    job.events.ask(Number(number), name, text.slice(number.length + name.length + 2));
    this.events.through(job);
  }

  private forget(job: Job): void {
    this.jobs.delete(job.id);
    if (this.jobs.size > 0) return;
    if (this.isLeaving) this.host.kill();
    this.setWorking(false);
    this.events.idle(this);
  }

  private setWorking(working: boolean): void {
    this.host.hold(working);
    this.watch[working ? 'ref' : 'unref']();
    this.silentTicks = 0;
  }

  private look(): void {
    if (this.jobs.size === 0 || this.isLeaving) return;
    // Counts ticks, not time: a server that was busy itself has not listened either.
    const usage = this.host.usage();
    if (this.silentTicks === 0) this.cpuBefore = usage.cpuMs;
    this.silentTicks++;
    if (this.engine === undefined && this.host.isApart) this.stopLate();
    const cpuMs = usage.cpuMs - this.cpuBefore;
    if (this.isStuck(cpuMs)) return this.end('code_timeout');
    if (this.isFull(usage.residentMb)) return this.end('code_memory');
    if (this.isSilent) this.events.silent(this);
    if (this.silentTicks > 1) this.say(line('T', 0, 0, ''));
  }

  /** A supervisor may never answer; nobody waits for it longer than for the code itself. A host that it starts gets its time. */
  private stopLate(): void {
    const now = performance.now();
    const startMs = this.host.pid === undefined ? 0 : START_MS;
    for (const job of this.jobs.values()) {
      const allowed = job.unit.wallMs + startMs;
      if (job.waitsSince === undefined || now - job.waitsSince < allowed) continue;
      this.drop(job);
      job.stop(
        'code_unavailable',
        `The sandbox has not answered within ${allowed} ms; the call has not begun.`,
      );
    }
  }

  /** It watches its memory itself, as long as it can. */
  private isFull(residentMb: number): boolean {
    this.fullLooks = residentMb > limits.processMb ? this.fullLooks + 1 : 0;
    return this.fullLooks >= FULL_LOOKS || residentMb > 2 * limits.processMb;
  }

  /** Silent for longer than it may compute; if the machine does not let it compute, it gets the time for that. */
  private isStuck(cpuMs: number): boolean {
    const allowed = this.longestStretch + SILENCE_MS;
    const silentMs = this.silentTicks * WATCH_MS;
    return silentMs > allowed && (cpuMs > allowed / 2 || silentMs > PATIENCE * allowed);
  }

  /** Milliseconds that its main thread may be busy: isolates move code that needs longer to another thread. */
  private get longestStretch(): number {
    if (this.engine === undefined) return START_MS;
    return this.engine === 'quickjs' ? this.longestCpu : limits.cpuMs;
  }

  private end(why: StopCode): void {
    this.why = why;
    this.host.kill();
  }

  private ended(lastWords: string): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    clearInterval(this.watch);
    this.socket.destroy();
    if (this.engine === undefined && lastWords !== '') this.events.warn(lastWords);
    const left = [...this.jobs.values()];
    this.jobs.clear();
    this.events.ended(this, left, this.why);
  }
}

function isStopCode(code: unknown): code is StopCode {
  return (
    code === 'code_timeout' ||
    code === 'code_memory' ||
    code === 'code_crashed' ||
    code === 'code_unavailable'
  );
}
