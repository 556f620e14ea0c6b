import type { LogLevel } from '#shared/run-event.ts';
import type { Asker, Services } from './services.ts';

/** What a source has received. */
export interface SourceItem {
  /** The item's identity: another item with the same id starts no run. At most 1000 characters. */
  readonly id: string;
  /** JSON; the output of the trigger. */
  readonly value: unknown;
}

/**
 * The argument of `listen`: what a trigger gets that starts runs by itself. One server calls it at a time, from when the
 * flow goes live until `signal` aborts; it should then return soon.
 */
export interface SourceCall<P = unknown> {
  readonly params: P;
  /** Aborts when the flow is no longer live, goes live in another version, or the server stops. */
  readonly signal: AbortSignal;
  readonly node: string;
  readonly vars: Readonly<Record<string, unknown>>;
  /** Identifies this source to services. */
  readonly asker: Asker;
  /** What `keep` stored last; undefined for a source that is new. */
  readonly cursor: unknown;
  /**
   * Starts a run with the item, or none if an item with this id was emitted or skipped before (`repeated`). Resolves when a
   * durable run is on disk, or one in memory has started: only then may the item be acknowledged where it comes from. While the
   * server accepts no runs, it waits. Rejects when `signal` aborts, with `source_item` for an id that is empty or too long, with
   * `source_ended` if the flow is no longer live, and with what prevents the run, such as `not_serialisable`.
   */
  emit(item: SourceItem): Promise<'started' | 'repeated'>;
  /** Notes ids as done without a run. Rejects when `signal` aborts, and with `source_item` or `storage_failed`. */
  skip(ids: readonly string[]): Promise<void>;
  /**
   * Stores how far the source has come: the `cursor` of the next call, JSON. Rejects when `signal` aborts, and with
   * `value_too_large` (1 MB), `not_serialisable` or `storage_failed`.
   */
  keep(cursor: unknown): Promise<void>;
  /** Notes that the source works although it has nothing new: earlier failures are over. */
  works(): void;
  log(level: LogLevel, text: string): void;
  /** Waits; rejects at once when `signal` aborts. */
  sleep(ms: number): Promise<void>;
  now(): number;
  /** A text that is the same for equal JSON values and practically never for others: an id for items without one. */
  hash(value: unknown): string;
  /** The host's service of this name; throws as that of `Call`. `flows` starts runs of their own. */
  service<K extends keyof Services>(name: K): NonNullable<Services[K]>;
}
