import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { NEWEST_FORMAT } from '#shared/flow.ts';
import type { NodeAbout, NodeInfo, NodeRole } from '#shared/node.ts';
import type { Bus } from '../bus.ts';
import type { ChangeKind, ChangeLog } from '../change-log.ts';
import { DEFAULT_PROJECT, type Sql, type SqlTransaction } from '../sql.ts';
import {
  aboutOf,
  GONE_MS,
  KEPT_MS,
  listed,
  POSTGRES_CLOCK,
  type Reachable,
  readNodes,
  timedStatements,
  writeNode,
} from './node-rows.ts';

/** How often a server reports that it lives, and reads the change log without a notice, in milliseconds. */
const BEAT_MS = 2000;
/** How long a server that is gone is still listed by default, in milliseconds. */
const SHOWN_MS = 10 * 60_000;
/** How long a change waits until all servers have applied it, in milliseconds. */
const BARRIER_MS = 2000;
const BARRIER_LOOK_MS = 50;
const CLOSE_MS = 2000;
/** How often a server checks whether it reaches the others, in milliseconds. */
const REACH_MS = 15_000;
/** How far a clock may be from that of the database without a warning, in milliseconds. */
const CLOCK_MS = 5000;
const SWEEP_MS = 3_600_000;
const AT_ONCE = 500;
/** How long a claim holds without renewal, and how often a server asks again for one that is taken, in milliseconds. */
const CLAIM_MS = 10_000;
const CLAIM_LOOK_MS = 20;

const HEAD = 'SELECT seq FROM change_head WHERE project = ?';
const BEGIN = 'INSERT INTO change_head (project, seq) VALUES (?, 0) ON CONFLICT (project) DO NOTHING';
const NEXT = 'UPDATE change_head SET seq = seq + 1 WHERE project = ?';
const READ = `SELECT seq, node, kind, id FROM change WHERE project = ? AND seq > ? ORDER BY seq LIMIT ${AT_ONCE}`;
const LEAVE = 'DELETE FROM node WHERE project = ? AND id = ?';
const LET_GO = 'DELETE FROM claim WHERE project = ? AND name = ? AND node = ?';

interface Change {
  readonly seq: number;
  readonly node: string;
  readonly kind: ChangeKind;
  readonly id: string;
}

interface Deps {
  readonly sql: Sql;
  readonly bus: Bus;
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'error'>;
  /** The version of Weft. */
  readonly version: string;
  readonly project?: string;
  /** By default that of PostgreSQL. */
  readonly clock?: string;
  /** Which of several processes on one port this is. */
  readonly process?: NodeAbout['process'];
  readonly role?: NodeRole;
  /** Marks of the secrets keys that it was given. */
  readonly keys?: string[];
  /** Reads and changes shared data without being a server: it is not listed, and no server waits for it. */
  readonly isGuest?: boolean;
}

type Unserved = () => readonly { readonly flow: string; readonly operators: readonly string[] }[];
/** Names of the others that it does not reach. */
type Reach = () => Promise<readonly string[]>;
type Follower = Parameters<ChangeLog['follow']>[1];

/**
 * This server among those on one database, or this process among those on one data folder.
 * CN1. Changes are applied in commit order without omission, and one that could not be applied is applied
 *      again: on a notice, every two seconds, and after the connection broke.
 * CN2. A change is announced in the transaction that makes it, so every server applies each committed change.
 * CN3. The database's clock decides which servers live, and which work is due.
 */
export class ClusterNode implements ChangeLog {
  readonly id: string = randomUUID();
  readonly name = `${hostname()}/${process.pid}`;
  /** The end of the ids of its runs. */
  readonly tag = randomBytes(5).toString('hex');
  /** Where other servers reach it; null before it listens. */
  private url: string | null = null;
  private readonly deps: Deps & { readonly project: string };
  private readonly clock: string;
  private readonly texts: ReturnType<typeof timedStatements>;
  private readonly followers = new Map<ChangeKind, Follower>();
  private applied = 0;
  private about: NodeAbout;
  private unserved: Unserved = () => [];
  private flows: () => NodeAbout['flows'] = () => undefined;
  private state: 'starting' | 'up' = 'starting';
  private next: Promise<void> | undefined;
  private last: Promise<void> = Promise.resolve();
  private beating: Promise<unknown> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private reachedAt = performance.now();
  private offset = 0;
  /** When it last reported that it lives. */
  private reportedAt = performance.now();
  private reach: Reach | undefined;
  private askedAt = Number.NEGATIVE_INFINITY;
  private unreachable: readonly string[] = [];
  /** Servers that did not answer the last check. */
  private suspected: readonly string[] = [];
  private sweptAt = Number.NEGATIVE_INFINITY;
  private failing = false;
  private closed = false;
  private stops: (() => void)[] = [];
  /** Names of the servers that had not applied the last change of this one in time, and still have not. */
  private late: readonly string[] = [];
  /** The number of that change. */
  private lastMade = 0;

  constructor({ project = DEFAULT_PROJECT, clock = POSTGRES_CLOCK, ...deps }: Deps) {
    this.clock = clock;
    this.texts = timedStatements(clock);
    const { process: one, role, keys } = deps;
    this.about = {
      format: NEWEST_FORMAT,
      ...(one !== undefined && { process: one }),
      ...(role !== undefined && { role }),
      ...(keys !== undefined && { keys }),
    };
    this.deps = { ...deps, project };
  }

  /** Joins. Everything read from now on is at least as new as the point from which `begin` follows. */
  async open(): Promise<void> {
    const { sql, project } = this.deps;
    await sql.run(BEGIN, project);
    this.applied = await this.head();
    await this.beat();
  }

  /** Follows the changes from now on; the others wait for this server before they treat a change as applied everywhere. */
  async begin(): Promise<void> {
    const { bus } = this.deps;
    const hurry = (): void => void this.catchUp().catch((error: unknown) => this.failed(error));
    this.stops = [bus.subscribe('changed', hurry), bus.onGap(hurry)];
    await this.catchUp();
    this.state = 'up';
    const { clockMs } = this;
    if (clockMs !== undefined)
      this.deps.log.warn(
        { clockMs },
        'the clock of this server is wrong: what depends on it, such as signed requests, may be refused',
      );
    await this.beat();
    this.arm();
  }

  async add(tx: SqlTransaction, kind: ChangeKind, id: string): Promise<number> {
    const { project } = this.deps;
    await tx.run(NEXT, project);
    const { seq } = (await tx.first<{ readonly seq: number }>(HEAD, project)) ?? { seq: 0 };
    await tx.run(this.texts.ADD, project, seq, this.id, kind, id);
    return seq;
  }

  async spread(seq: number): Promise<void> {
    const { bus, log } = this.deps;
    bus.publish('changed');
    this.lastMade = Math.max(this.lastMade, seq);
    let wake = (): void => {};
    const stop = bus.subscribe('changes-applied', () => wake());
    const end = performance.now() + BARRIER_MS;
    try {
      for (;;) {
        const heard = new Promise<void>((resolve) => (wake = resolve));
        this.late = await this.pending(seq);
        if (this.late.length === 0) return;
        if (performance.now() >= end) break;
        await Promise.race([heard, sleep(BARRIER_LOOK_MS)]);
      }
      log.warn({ pending: this.late }, 'a change is made, but these servers have not applied it yet');
    } catch (err) {
      log.warn({ err }, 'a change is made, but it is not known which servers have applied it');
    } finally {
      stop();
    }
  }

  follow(kind: ChangeKind, apply: Follower): void {
    this.followers.set(kind, apply);
  }

  catchUp(): Promise<void> {
    // A read that has begun may have missed later commits; the next one does not.
    this.next ??= this.last.then(() => {
      this.next = undefined;
      return this.readOn();
    });
    this.last = this.next.catch(() => {});
    return this.next;
  }

  async alone<T>(name: string, work: () => Promise<T>): Promise<T> {
    const holder = `${this.id} ${randomUUID()}`;
    while (!(await this.take(name, { holder }))) await sleep(CLAIM_LOOK_MS);
    const renewing = setInterval(() => {
      // A server that loses a claim still has to obey the rows.
      this.take(name, { holder }).catch(() => {});
    }, CLAIM_MS / 3);
    try {
      await this.catchUp();
      return await work();
    } finally {
      clearInterval(renewing);
      await this.letGo(name, holder).catch(() => {});
    }
  }

  /** Whether this server has the claim now, for ten seconds; renew it before. Rejects with `storage_failed`. */
  async take(name: string, { holder = this.id } = {}): Promise<boolean> {
    const { sql, project } = this.deps;
    return (await sql.run(this.texts.TAKE, project, name, holder, CLAIM_MS)) > 0;
  }

  async letGo(name: string, holder = this.id): Promise<void> {
    await this.deps.sql.run(LET_GO, this.deps.project, name, holder);
  }

  async isLive(node: string): Promise<boolean> {
    return (await this.deps.sql.first(this.texts.IS_LIVE, this.deps.project, node)) !== undefined;
  }

  /** From now on other servers reach this one at `url`. Rejects with `storage_failed`. */
  async announce(url: string): Promise<void> {
    this.url = url;
    await this.beat();
  }

  /** The server whose runs end with this tag; one that was not seen for a day is forgotten. */
  async find(tag: string): Promise<(Reachable & { readonly isLive: boolean }) | undefined> {
    const { sql, project } = this.deps;
    const row = await sql.first<Reachable & { readonly isLive: boolean | number | null }>(
      this.texts.FIND,
      project,
      tag,
    );
    return row && { ...row, isLive: Boolean(row.isLive) };
  }

  /** The other servers that live. */
  others(): Promise<Reachable[]> {
    return this.deps.sql.all<Reachable>(this.texts.OTHERS, this.deps.project, this.id);
  }

  /** Whether another server may have revoked rights that this one still grants. */
  get isStale(): boolean {
    return performance.now() - this.reachedAt > GONE_MS;
  }

  /** Whether the others have heard lately that it lives, which means that the database accepts its writes. */
  get canWrite(): boolean {
    return performance.now() - this.reportedAt <= GONE_MS;
  }

  /** Unix milliseconds by the database's clock. */
  readonly now = (): number => Date.now() + this.offset;

  /** Servers that had not applied the last change of this one after two seconds, and still have not as far as is known. */
  lastPending(): readonly string[] {
    return this.late;
  }

  /** Those that were seen within ten minutes; with `all` those of a day. */
  async list({ all = false } = {}): Promise<NodeInfo[]> {
    const { sql, project } = this.deps;
    const head = await this.head();
    const rows = await readNodes(sql, project, { ms: all ? KEPT_MS : SHOWN_MS, clock: this.clock });
    return listed(rows, { head, self: this.id });
  }

  /** Names of the servers that live and do not say that they have something. */
  async without(has: (about: NodeAbout) => boolean): Promise<string[]> {
    const rows = await readNodes(this.deps.sql, this.deps.project, { ms: GONE_MS, clock: this.clock });
    return rows.filter(({ about }) => !has(aboutOf(about))).map(({ name }) => name);
  }

  /** Announces that this server is stopping, if the database answers soon. It still applies changes until it is closed. */
  async leave(): Promise<void> {
    this.about = { ...this.about, leaving: true };
    await Promise.race([this.beat().catch(() => {}), sleep(CLOSE_MS)]);
  }

  /** Reports with each beat which live flows this server does not serve. */
  reportUnserved(read: Unserved): void {
    this.unserved = read;
  }

  /** From now on checks at intervals which of the others it reaches, and reports those that it does not. */
  reportUnreachable(reach: Reach): void {
    this.reach = reach;
  }

  /** Reports with each beat where this server has its flows from. */
  reportFlows(read: () => NodeAbout['flows']): void {
    this.flows = read;
  }

  /** The part that routes use. */
  shown() {
    return {
      isStale: () => this.isStale,
      canWrite: () => this.canWrite,
      pending: () => this.lastPending(),
      list: (which?: { readonly all: boolean }) => this.list(which),
      reportUnserved: (read: Unserved) => this.reportUnserved(read),
      reportFlows: (read: () => NodeAbout['flows']) => this.reportFlows(read),
      lackingFormat: (wanted: number) => this.without(({ format = 1 }) => format >= wanted),
      leave: () => this.leave(),
    };
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    for (const stop of this.stops) stop();
    // A beat under way would restore the row that is deleted here.
    const quiet = Promise.all([this.last, this.beating]);
    const left = quiet.then(() => this.deps.sql.run(LEAVE, this.deps.project, this.id));
    // Without a database it cannot announce that it leaves; the others notice.
    await Promise.race([left.catch(() => {}), sleep(CLOSE_MS)]);
  }

  private async head(): Promise<number> {
    const row = await this.deps.sql.first<{ readonly seq: number }>(HEAD, this.deps.project);
    return row?.seq ?? 0;
  }

  private async pending(seq: number): Promise<string[]> {
    const { sql, project } = this.deps;
    const rows = await sql.all<{ readonly name: string }>(this.texts.PENDING, project, seq, this.id);
    return rows.map(({ name }) => name);
  }

  private arm(): void {
    if (this.closed) return;
    this.timer = setTimeout(() => void this.tick().finally(() => this.arm()), BEAT_MS);
    this.timer.unref();
  }

  private async tick(): Promise<void> {
    try {
      await this.catchUp();
      await this.beat();
      if (performance.now() - this.askedAt > REACH_MS) void this.lookAtOthers();
      if (this.late.length > 0) this.late = await this.pending(this.lastMade);
      if (performance.now() - this.sweptAt > SWEEP_MS) await this.sweep();
      if (this.failing) this.deps.log.warn('the database can be reached again');
      this.failing = false;
    } catch (error) {
      this.failed(error);
    }
  }

  private async lookAtOthers(): Promise<void> {
    this.askedAt = performance.now();
    const found = await this.reach?.().catch(() => undefined);
    if (found === undefined || this.closed) return;
    // A server that was only busy gets a second check at once, before a warning.
    const sure = found.filter((name) => this.suspected.includes(name));
    if (sure.length < found.length) this.askedAt = Number.NEGATIVE_INFINITY;
    this.suspected = found;
    const fresh = sure.filter((name) => !this.unreachable.includes(name));
    if (fresh.length > 0)
      this.deps.log.warn({ servers: fresh }, 'these servers cannot be reached at their addresses for others');
    this.unreachable = sure;
  }

  private get clockMs(): number | undefined {
    return Math.abs(this.offset) > CLOCK_MS ? -this.offset : undefined;
  }

  private failed(err: unknown): void {
    if (this.failing || this.closed) return;
    this.failing = true;
    this.deps.log.error({ err }, 'changes of other servers cannot be applied; trying again');
  }

  private async readOn(): Promise<void> {
    const { sql, project, bus } = this.deps;
    const from = this.applied;
    for (;;) {
      const asked = performance.now();
      const rows = await sql.all<Change>(READ, project, this.applied);
      const [first] = rows;
      if (first !== undefined) await this.apply(rows, first.seq > this.applied + 1);
      this.applied = rows.at(-1)?.seq ?? this.applied;
      this.reachedAt = asked;
      if (rows.length < AT_ONCE) break;
    }
    if (this.applied === from || this.state === 'starting') return;
    await this.beat();
    bus.publish('changes-applied');
  }

  /** `isGap`: changes in between were deleted. */
  private async apply(changes: readonly Change[], isGap: boolean): Promise<void> {
    for (const [kind, follower] of this.followers) {
      const others = changes.filter((change) => change.kind === kind && change.node !== this.id);
      if (isGap) await follower('all');
      else if (others.length > 0) await follower(new Set(others.map(({ id }) => id)));
    }
  }

  private beat(): Promise<void> {
    if (this.closed || this.deps.isGuest === true) return Promise.resolve();
    const beat = this.reportAlive();
    this.beating = Promise.all([this.beating, beat.catch(() => {})]);
    return beat;
  }

  private async reportAlive(): Promise<void> {
    const { sql, project, version } = this.deps;
    const unserved = this.unserved().map(({ flow, operators }) => ({ flow, operators: [...operators] }));
    const flows = this.flows();
    const { clockMs, unreachable } = this;
    const about = JSON.stringify({
      ...this.about,
      ...(clockMs !== undefined && { clockMs }),
      ...(unreachable.length > 0 && { unreachable: [...unreachable] }),
      ...(flows !== undefined && { flows }),
      ...(unserved.length > 0 && { unserved }),
    } satisfies NodeAbout);
    const { id, name, applied, state, tag, url } = this;
    const asked = performance.now();
    const before = Date.now();
    const facts = [project, id, name, version, applied, state, tag, url, about];
    const row = await writeNode(sql, this.clock, facts);
    this.reportedAt = asked;
    if (row !== undefined) this.offset = Math.round(row.now - (before + Date.now()) / 2);
  }

  private async sweep(): Promise<void> {
    const { sql, project } = this.deps;
    this.sweptAt = performance.now();
    await sql.run(this.texts.FORGET_CHANGES, project);
    await sql.run(this.texts.FORGET_NODES, project);
  }
}
