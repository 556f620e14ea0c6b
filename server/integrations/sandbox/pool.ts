import { availableParallelism } from 'node:os';
import type { Job, StopCode } from './job.ts';
import { limits } from './limits.ts';
import { HostLink, type LinkEvents } from './link.ts';
import type { Engine, StartHost } from './spawn.ts';
import type { CodeStats } from './stats.ts';

/** How many hosts in a row may end before they are ready, until the pool reports that there are none, for a while. */
const MAX_FAILED_STARTS = 3;
/** Milliseconds after which it tries again: a sandbox that runs apart may be back. */
const RETRY_START_MS = 2000;
/** Milliseconds for which a flow that has ended a host stays away from the others. */
const APART_MS = 60_000;
/** Milliseconds for which the flow stays away from them that seems to hold the thread of a silent host. */
const HOLDS_MS = 2000;
/** How often a job is started on one more host, because those that have it are silent. */
const MAX_MOVES = 3;
/** Milliseconds before the end of a host in which a call that it had to stop may be the cause. */
const CAUSE_MS = 1000;
/** Milliseconds after which a host is kept in reserve for the first one that ends. */
const SPARE_AFTER_MS = 100;
/** Milliseconds between two looks whether that host lacks code that is in use. */
const WARM_EVERY_MS = 1000;

export interface PoolOptions {
  readonly engine: Engine;
  readonly start: StartHost;
  /** The most hosts at once; if omitted, the number of cores minus one. */
  readonly hosts?: number;
  warn(message: string): void;
}

/**
 * The sandbox hosts, started when there is something to run.
 *
 * PO1. All code of a flow runs in the same host, as long as it lives.
 * PO2. A job that was lost with its host is restarted if it has not reached the outside. If it may be the cause,
 *      it runs alone on a separate host, one suspect after the other, so that the cause of that host's end is known.
 *      The longest running one comes last, because quick jobs should not wait for it, and so do those of flows that
 *      are kept apart.
 * PO3. A host that is silent while it computes keeps the jobs that have reached the outside; all others are also
 *      started elsewhere, and it gets no more jobs. The flow of its first job is kept apart for a moment.
 * PO4. Flows whose calls end hosts have a separate host for a while.
 * PO5. A host that is nearly full finishes the jobs it has, and a new one takes its place. If too many are full, calls that need
 *      more memory are refused.
 */
export class HostPool {
  private readonly options: PoolOptions;
  /** By flows; the last one is for flows that end hosts. */
  private readonly slots: (HostLink | undefined)[];
  private readonly apart = new Map<string, number>();
  /** Hosts that only finish the jobs they have. */
  private readonly retired = new Set<HostLink>();
  private spare: HostLink | undefined = undefined;
  private spareTimer: NodeJS.Timeout | undefined = undefined;
  private warmTimer: NodeJS.Timeout | undefined = undefined;
  private quarantine: HostLink | undefined = undefined;
  private suspect: Job | undefined = undefined;
  private readonly suspects: Job[] = [];
  private readonly links = new Set<HostLink>();
  private failedStarts = 0;
  private failedAt = Number.NEGATIVE_INFINITY;
  private lostHosts = 0;
  private isClosed = false;

  constructor(options: PoolOptions) {
    this.options = options;
    const count = options.hosts ?? Math.max(1, Math.min(4, availableParallelism() - 1));
    this.slots = Array.from({ length: count + 1 }, () => undefined);
  }

  /** Process ids of the current hosts. */
  get pids(): number[] {
    return [...this.links].flatMap(({ pid }) => pid ?? []);
  }

  /** The engines of the current hosts that are ready. */
  get engines(): string[] {
    return [...new Set([...this.links].flatMap(({ engine }) => engine ?? []))];
  }

  stats(): Pick<CodeStats, 'open' | 'hosts' | 'lostHosts'> {
    const waiting = this.suspects.filter((job) => !job.over).length;
    const jobs = new Set([...this.links].flatMap((link) => [...link.jobs.keys()]));
    return { open: waiting + jobs.size, hosts: this.links.size, lostHosts: this.lostHosts };
  }

  run(job: Job): void {
    if (this.isClosed || this.startsFail()) return this.refuse(job);
    const link = (this.slots[this.slotOf(job.unit.flow)] ??= this.takeSpare());
    link.run(job);
  }

  private startsFail(): boolean {
    const isLate = performance.now() - this.failedAt >= RETRY_START_MS;
    return this.failedStarts >= MAX_FAILED_STARTS && !isLate;
  }

  private slotOf(flow: string): number {
    const last = this.slots.length - 1;
    if (this.apart.size === 0) return hashOf(flow) % last;
    if ((this.apart.get(flow) ?? 0) > performance.now()) return last;
    this.apart.delete(flow);
    return hashOf(flow) % last;
  }

  /** Sends something about a job to the host that has it. */
  send(op: string, job: Job, text: string): void {
    for (const link of this.links) link.send(op, job, text);
  }

  /** Nobody waits for the job any more. */
  drop(job: Job): void {
    job.over = true;
    for (const link of this.links) link.drop(job);
    if (this.suspect === job) this.nextSuspect();
  }

  /** Ends all hosts; jobs in progress are stopped. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.spareTimer);
    clearInterval(this.warmTimer);
    for (const link of this.links) link.kill();
  }

  private refuse(job: Job): void {
    const why = this.isClosed ? 'The server is stopping.' : NO_HOST;
    queueMicrotask(() => job.stop('code_unavailable', why));
  }

  // ------------------------------------------------------------------------------------------------------- hosts

  private start(): HostLink {
    const events: LinkEvents = {
      leaves: (link) => this.leave(link),
      full: (link) => this.replaceFull(link),
      notBegun: (link, job) => this.moveOn(link, job),
      silent: (link) => this.relieve(link),
      claimed: (link, job) => this.claim(link, job),
      idle: (link) => this.retired.has(link) && this.release(link),
      ended: (link, left, why) => this.lostHost(link, left, why),
      returned: (job, suspicion) => this.repeat(job, suspicion),
      through: (job) => this.suspect === job && this.nextSuspect(),
      warn: (message) => this.options.warn(message),
    };
    const link = new HostLink(this.options.start(this.options.engine), events);
    this.links.add(link);
    return link;
  }

  private takeSpare(): HostLink {
    const link = this.spare ?? this.start();
    this.spare = undefined;
    clearTimeout(this.spareTimer);
    this.spareTimer = setTimeout(() => {
      if (!this.isClosed && this.failedStarts === 0) this.spare ??= this.start();
    }, SPARE_AFTER_MS).unref();
    this.warmTimer ??= setInterval(() => this.warmSpare(), WARM_EVERY_MS).unref();
    return link;
  }

  /** Whoever is moved there should not wait until its code is opened. */
  private warmSpare(): void {
    if (this.spare?.engine === undefined) return;
    for (const link of this.slots) if (link) this.spare.warmFrom(link);
  }

  private lostHost(link: HostLink, left: readonly Job[], why: StopCode): void {
    const wasQuarantine = this.quarantine === link;
    this.forgetHost(link);
    if (left.length > 0 && !this.isClosed) {
      this.options.warn(`A sandbox host ended (${why}) with ${left.length} calls.`);
    }
    // An earlier call may also have used the memory, if it is not free yet.
    const isAlone = wasQuarantine || (left.length === 1 && !link.hasDropped && why !== 'code_memory');
    for (const job of left.filter((one) => !this.isElsewhere(one))) {
      if (link.engine === undefined) this.moveOn(link, job);
      else this.lostJob(job, why, isAlone);
    }
    if (this.suspect === undefined) this.nextSuspect();
  }

  private lostJob(job: Job, why: StopCode, isAlone: boolean): void {
    if (this.suspect === job) this.suspect = undefined;
    // A host may also have been killed from outside, which no call is to blame for.
    const isGuilty = isAlone && (why !== 'code_crashed' || !job.canRepeat);
    if (isGuilty) this.condemn(job, why);
    else this.repeat(job, why, isAlone);
  }

  private forgetHost(link: HostLink): void {
    if (!this.isClosed && !link.wasKilled) this.lostHosts++;
    const hasFailed = link.engine === undefined && !this.isClosed;
    this.failedStarts = hasFailed ? this.failedStarts + 1 : 0;
    if (hasFailed) this.failedAt = performance.now();
    const { lastStop } = link;
    if (lastStop && !link.wasKilled && performance.now() - lastStop.at < CAUSE_MS)
      this.keepApart(lastStop.flow);
    this.links.delete(link);
    this.retired.delete(link);
    this.leave(link);
  }

  /** It gets no more jobs. */
  private leave(link: HostLink): void {
    if (this.quarantine === link) this.quarantine = undefined;
    if (this.spare === link) this.spare = undefined;
    const slot = this.slots.indexOf(link);
    if (slot >= 0) this.slots[slot] = undefined;
  }

  private relieve(link: HostLink): void {
    // Nobody waits for it except its caller.
    if (link.jobs.size === 1) return;
    const slot = this.slots.indexOf(link);
    if (slot >= 0) {
      this.slots[slot] = undefined;
      this.retired.add(link);
    }
    if (!this.retired.has(link)) return;
    // The latest job has not had time yet to be the slow one, so it does not wait for the first one.
    const all = [...link.jobs.values()].toReversed();
    const flow = all.at(-1)?.unit.flow as string;
    this.keepApart(flow, HOLDS_MS);
    for (const job of all) {
      if (job.touched || job.moves >= MAX_MOVES || job.unit.flow === flow || this.isServed(job)) continue;
      job.isDouble = true;
      job.moves++;
      this.run(job);
    }
  }

  /** A host that is not silent has it. */
  private isServed(job: Job): boolean {
    return [...this.links].some((link) => link.jobs.has(job.id) && !link.isSilent);
  }

  /** A dropped job may still be running there. */
  private release(link: HostLink): void {
    this.retired.delete(link);
    if (link.hasDropped || link.isNearlyFull || this.spare !== undefined) link.kill();
    else this.spare = link;
  }

  /** Its memory is taken by calls in progress, which it finishes. */
  private replaceFull(link: HostLink): void {
    const isKept = [...this.retired].filter(({ isNearlyFull }) => isNearlyFull).length >= this.slots.length;
    if (isKept || this.retired.has(link)) return;
    this.leave(link);
    this.retired.add(link);
    if (link.jobs.size === 0) this.release(link);
  }

  /** Nothing of the job has run on that host, so it is no suspect for it, and may run again even if it has a stream. */
  private moveOn(link: HostLink, job: Job): void {
    const wasSuspect = this.suspect === job;
    if (wasSuspect) this.suspect = undefined;
    if (!job.over && !this.isElsewhere(job)) {
      if (this.slots.includes(link)) job.stop('code_unavailable', NO_MEMORY);
      else if (++job.losses > limits.losses) job.stop('code_unavailable', NO_HOST);
      else if (wasSuspect && !this.startsFail()) this.suspects.push(job);
      else {
        this.run(job);
        job.events.again?.();
      }
    }
    if (this.suspect === undefined) this.nextSuspect();
  }

  private claim(link: HostLink, job: Job): void {
    job.isDouble = false;
    for (const other of this.links) if (other !== link) other.drop(job);
  }

  private isElsewhere(job: Job): boolean {
    return [...this.links].some((link) => link.jobs.has(job.id));
  }

  private keepApart(flow: string, ms = APART_MS): void {
    this.apart.set(flow, Math.max(this.apart.get(flow) ?? 0, performance.now() + ms));
  }

  /** It ends hosts. */
  private condemn(job: Job, why: StopCode): void {
    if (why !== 'code_crashed') this.keepApart(job.unit.flow);
    job.stop(why, stopMessage(why));
  }

  // -------------------------------------------------------------------------------------------------- second tries

  /** `wasAlone`: the host had nothing else to do. */
  private repeat(job: Job, suspicion: StopCode | undefined, wasAlone = false): void {
    if (job.over || this.isElsewhere(job)) return;
    const wasSuspect = this.suspect === job;
    if (wasSuspect) this.suspect = undefined;
    job.isDouble = false;
    if (wasAlone) job.tries++;
    else job.losses++;
    if (wasSuspect && suspicion === 'code_memory') {
      this.condemn(job, suspicion);
    } else if (!job.canRepeat || this.isClosed) {
      job.stop('code_crashed', stopMessage('code_crashed'));
    } else if (suspicion === undefined) {
      this.run(job);
    } else {
      job.suspicion = suspicion;
      this.suspects.push(job);
    }
    if (this.suspect === undefined) this.nextSuspect();
  }

  /** Runs the next one alone; the one before has finished, or has proved not to be the cause. */
  private nextSuspect(): void {
    this.suspect = undefined;
    const isApart = ({ unit }: Job) => (this.apart.has(unit.flow) ? 0 : 1);
    this.suspects.sort((a, b) => isApart(a) - isApart(b) || a.id - b.id);
    const job = this.suspects.pop();
    if (!job) return this.endQuarantine();
    if (job.over) return this.nextSuspect();
    this.suspect = job;
    this.quarantine ??= this.takeSpare();
    this.quarantine.run(job);
  }

  private endQuarantine(): void {
    if (!this.quarantine || this.quarantine.jobs.size > 0) return;
    if (this.spare === undefined) this.spare = this.quarantine;
    else this.quarantine.kill();
    this.quarantine = undefined;
  }
}

const NO_HOST = 'The sandbox host does not start; the log says why.';
const NO_MEMORY =
  'The memory for code is taken by calls in progress; call it again when some of them have ended.';

function stopMessage(code: StopCode): string {
  if (code === 'code_timeout')
    return 'The code did something that cannot be interrupted, for longer than it may compute.';
  if (code === 'code_memory') return 'The code took more memory than it may.';
  return 'The process that runs code ended in the middle of the call.';
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
