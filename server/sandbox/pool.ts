import { availableParallelism } from 'node:os';
import type { Job, StopCode } from './job.ts';
import { HostLink, type LinkEvents } from './link.ts';
import type { Engine } from './spawn.ts';
import type { CodeStats } from './stats.ts';

/** Hosts that ended before they were ready, one after the other, until it is said that there are none. */
const MAX_FAILED_STARTS = 3;
/** Milliseconds after which a host is kept in reserve for the first one that ends. */
const SPARE_AFTER_MS = 500;

export interface PoolOptions {
  readonly engine: Engine;
  /** Hosts at once; cores less one where it is left out. */
  readonly hosts?: number;
  warn(message: string): void;
}

/**
 * The sandbox hosts, started when there is something to run.
 *
 * P1. All code of a flow runs in the same host, as long as that lives.
 * P2. A job that was lost with its host is begun again if it has not reached the outside. If it may be the cause, it runs alone
 *     on a host of its own, one suspect after the other, so that what ends that host is known.
 */
export class HostPool {
  private readonly options: PoolOptions;
  private readonly slots: (HostLink | undefined)[];
  private spare: HostLink | undefined = undefined;
  private spareTimer: NodeJS.Timeout | undefined = undefined;
  private quarantine: HostLink | undefined = undefined;
  private suspect: Job | undefined = undefined;
  private readonly suspects: Job[] = [];
  private readonly links = new Set<HostLink>();
  private failedStarts = 0;
  private lostHosts = 0;
  private isClosed = false;

  constructor(options: PoolOptions) {
    this.options = options;
    const count = options.hosts ?? Math.max(1, Math.min(4, availableParallelism() - 1));
    this.slots = Array.from({ length: count }, () => undefined);
  }

  /** Process ids of the hosts that are there now. */
  get pids(): number[] {
    return [...this.links].flatMap(({ pid }) => pid ?? []);
  }

  stats(): Pick<CodeStats, 'open' | 'hosts' | 'lostHosts'> {
    const waiting = this.suspects.filter((job) => !job.over).length;
    const open = [...this.links].reduce((sum, link) => sum + link.jobs.size, waiting);
    return { open, hosts: this.links.size, lostHosts: this.lostHosts };
  }

  run(job: Job): void {
    if (this.isClosed || this.failedStarts >= MAX_FAILED_STARTS) return this.refuse(job);
    const slot = hashOf(job.unit.flow) % this.slots.length;
    const link = (this.slots[slot] ??= this.takeSpare());
    link.run(job);
  }

  /** Says something about a job to the host that has it. */
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
    for (const link of this.links) link.kill();
  }

  private refuse(job: Job): void {
    const why = this.isClosed
      ? 'The server is stopping.'
      : 'The sandbox host does not start; the log says why.';
    queueMicrotask(() => job.stop('code_unavailable', why));
  }

  // ------------------------------------------------------------------------------------------------------- hosts

  private start(): HostLink {
    const events: LinkEvents = {
      ended: (link, left, why) => this.lostHost(link, left, why),
      returned: (job, suspicion) => this.repeat(job, suspicion),
      through: (job) => this.suspect === job && this.nextSuspect(),
      warn: (message) => this.options.warn(message),
    };
    const link = new HostLink(this.options.engine, events);
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
    return link;
  }

  private lostHost(link: HostLink, left: readonly Job[], why: StopCode): void {
    const wasQuarantine = this.quarantine === link;
    this.forgetHost(link);
    if (left.length > 0 && !this.isClosed) {
      this.options.warn(`A sandbox host ended (${why}) with ${left.length} calls.`);
    }
    const isAlone = wasQuarantine || (left.length === 1 && !link.hasDropped);
    for (const job of left) {
      if (this.suspect === job) this.suspect = undefined;
      // A host may also have been killed from outside, which no call is to blame for.
      const isGuilty = isAlone && (why !== 'code_crashed' || !job.canRepeat);
      if (isGuilty) job.stop(why, stopMessage(why));
      else this.repeat(job, why);
    }
    if (this.suspect === undefined) this.nextSuspect();
  }

  private forgetHost(link: HostLink): void {
    if (!this.isClosed && !link.wasKilled) this.lostHosts++;
    this.failedStarts = link.engine === undefined && !this.isClosed ? this.failedStarts + 1 : 0;
    this.links.delete(link);
    if (this.quarantine === link) this.quarantine = undefined;
    if (this.spare === link) this.spare = undefined;
    const slot = this.slots.indexOf(link);
    if (slot >= 0) this.slots[slot] = undefined;
  }

  // -------------------------------------------------------------------------------------------------- second tries

  private repeat(job: Job, suspicion: StopCode | undefined): void {
    if (job.over) return;
    if (this.suspect === job) this.suspect = undefined;
    if (!job.canRepeat || this.isClosed) {
      job.stop(suspicion === 'code_memory' ? suspicion : 'code_crashed', stopMessage('code_crashed'));
    } else if (suspicion === undefined) {
      this.run(job);
      return;
    } else {
      job.suspicion = suspicion;
      this.suspects.push(job);
    }
    if (this.suspect === undefined) this.nextSuspect();
  }

  /** The next one alone; the one before is through, or has shown that it is not the cause. */
  private nextSuspect(): void {
    this.suspect = undefined;
    const job = this.suspects.shift();
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

function stopMessage(code: StopCode): string {
  if (code === 'code_timeout')
    return 'The code did what cannot be interrupted for longer than it may compute.';
  if (code === 'code_memory') return 'The code took more memory than it may.';
  return 'The process that runs code ended in the middle of the call.';
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
