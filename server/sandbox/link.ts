import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { frame, FrameReader, line, readLine } from './host/wire.js';
import type { Job, StopCode } from './job.ts';
import { limits } from './limits.ts';
import { type Engine, spawnHost } from './spawn.ts';

/** Milliseconds between two checks of a host that has work. */
const WATCH_MS = 50;
/** Milliseconds that a host may be silent beyond its longest permitted stretch of code. */
const SILENCE_MS = 500;
/**
 * Consecutive checks that find a host silent, and milliseconds that it has computed meanwhile, until other hosts get
 * its work.
 */
const RELIEF_TICKS = 4;
const RELIEF_CPU_MS = 80;
/** Consecutive checks that find too much memory; before the last of them the host can still tell who uses it. */
const FULL_LOOKS = 3;
/** How many times as long a host may be silent if it gets no processor. */
const PATIENCE = 6;
/** Milliseconds that its start may take. */
const START_MS = 15_000;
/** Characters of its last output that are kept for the log. */
const LAST_WORDS = 2000;

export interface LinkEvents {
  /** The host has ended. `left` are its unfinished jobs, `why` what they may have caused. */
  ended(link: HostLink, left: readonly Job[], why: StopCode): void;
  /** The host accepts no more jobs, because it is ending. */
  leaves(link: HostLink): void;
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
 * SL1. Everything sent in one turn of the event loop travels in one frame.
 * SL2. A host that is silent for longer than its code may compute, or uses more memory than it may, is killed.
 * SL3. It keeps this process alive only while it has work.
 */
export class HostLink {
  readonly jobs = new Map<number, Job>();
  private readonly child: ChildProcess;
  private readonly socket: Socket;
  private readonly events: LinkEvents;
  private readonly known = new Set<number>();
  private readonly reader = new FrameReader();
  private readonly watch: NodeJS.Timeout;
  private outgoing = '';
  private lastWords = '';
  /** A job was dropped since the last message of the host: it may still be running there. */
  hasDropped = false;
  wasKilled = false;
  /** The flow of the last call that it had to stop, and when (milliseconds of `performance`). */
  lastStop: { readonly flow: string; readonly at: number } | undefined = undefined;
  private silentTicks = 0;
  private fullLooks = 0;
  private cpuBefore = 0;
  private longestCpu: number = limits.cpuMs;
  private why: StopCode = 'code_crashed';
  private hasEnded = false;
  /** The engine that runs the code there, once it is ready. */
  engine: string | undefined = undefined;

  constructor(engine: Engine, events: LinkEvents) {
    this.events = events;
    this.child = spawnHost(engine);
    this.socket = this.child.stdio[3] as Socket;
    this.socket.on('data', (chunk: Buffer) => this.read(chunk));
    this.socket.on('error', () => {});
    this.child.stderr?.on('data', (text: Buffer) => {
      this.lastWords = (this.lastWords + text.toString()).slice(-LAST_WORDS);
    });
    this.child.once('error', () => this.ended());
    this.child.once('close', () => this.ended());
    this.watch = setInterval(() => this.look(), WATCH_MS);
    this.setWorking(false);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Runs a job; alone if it is under suspicion. */
  run(job: Job): void {
    const { unit } = job;
    if (this.jobs.size === 0) this.setWorking(true);
    this.jobs.set(job.id, job);
    if (!this.known.has(unit.id)) this.define(job);
    this.send(job.op === 'C' && job.suspicion !== undefined ? 'A' : job.op, job, job.payload);
  }

  private define({ unit }: Job): void {
    this.known.add(unit.id);
    this.longestCpu = Math.max(this.longestCpu, unit.cpuMs);
    this.say(line('U', 0, unit.id, unit.definition));
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
    this.child.kill('SIGKILL');
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
    const { op, id, unit, text: body } = readLine(text);
    if (op === 'Y') this.engine = body;
    else if (op === 'Z') this.known.delete(unit);
    else if (op === 'B') this.events.leaves(this);
    else if (op === 'L' && id === 0) this.events.warn(body);
    const job = this.jobs.get(id);
    if (!job) return;
    if (job.isDouble && op !== 'N') this.events.claimed(this, job);
    this.tell(job, op, body);
  }

  private tell(job: Job, op: string, text: string): void {
    const { events } = job;
    if (op === 'V') return this.close(job, () => events.value(text));
    if (op === 'T') return this.close(job, () => events.thrown(text));
    if (op === 'D') return this.close(job, () => events.done?.());
    if (op === 'K') return this.stopped(job, text);
    if (op === 'N') return this.giveBack(job, text);
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
    const { code, message } = JSON.parse(text) as { code: StopCode; message: string };
    this.lastStop = { flow: job.unit.flow, at: performance.now() };
    this.forget(job);
    job.stop(code, message);
    this.events.through(job);
  }

  private giveBack(job: Job, suspicion: string): void {
    this.forget(job);
    this.events.returned(job, suspicion === '' ? undefined : (suspicion as StopCode));
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
    this.setWorking(false);
    this.events.idle(this);
  }

  private setWorking(working: boolean): void {
    const holds = [this.child, this.socket, this.watch, this.child.stderr as Socket | null];
    for (const hold of holds) hold?.[working ? 'ref' : 'unref']();
    this.silentTicks = 0;
  }

  private look(): void {
    if (this.jobs.size === 0) return;
    // Counts ticks, not time: a server that was busy itself has not listened either.
    const usage = usageOf(this.child.pid);
    if (this.silentTicks === 0) this.cpuBefore = usage.cpuMs;
    this.silentTicks++;
    const cpuMs = usage.cpuMs - this.cpuBefore;
    if (this.isStuck(cpuMs)) return this.end('code_timeout');
    if (this.isFull(usage.residentMb)) return this.end('code_memory');
    if (this.engine !== undefined && this.silentTicks >= RELIEF_TICKS && cpuMs >= RELIEF_CPU_MS)
      this.events.silent(this);
    if (this.silentTicks > 1) this.say(line('T', 0, 0, ''));
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
    this.child.kill('SIGKILL');
  }

  private ended(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    clearInterval(this.watch);
    this.socket.destroy();
    if (this.engine === undefined && this.lastWords !== '') this.events.warn(this.lastWords);
    const left = [...this.jobs.values()];
    this.jobs.clear();
    this.events.ended(this, left, this.why);
  }
}

interface Usage {
  readonly residentMb: number;
  readonly cpuMs: number;
}

/** Linux counts processor time in hundredths of a second, and memory in pages. */
const TICK_MS = 10;
const PAGE = 4096;

/** If nothing is known, silence alone counts. */
const unknownUsage: Usage = { residentMb: 0, cpuMs: 0 };

/** The system's data about the process, if there are any; otherwise the host watches its memory itself. */
function usageOf(pid: number | undefined): Usage {
  if (process.platform !== 'linux' || pid === undefined) return unknownUsage;
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    const [user, system, pages] = [Number(fields[11]), Number(fields[12]), Number(fields[21])];
    return { residentMb: (pages * PAGE) / 1024 ** 2, cpuMs: (user + system) * TICK_MS };
  } catch {
    return { residentMb: 0, cpuMs: 0 };
  }
}
