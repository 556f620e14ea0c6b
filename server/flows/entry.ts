import type { Flow } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import type { FlowRecord, LiveFlow } from './flow-types.ts';
import type { TriggerRoute } from './trigger-table.ts';
import { contentHash } from '../files/content-hash.ts';
import type { Examined } from './examine.ts';
import type { FlowFile } from './flow-files.ts';
import { routesOf, type TriggerInfo } from './trigger-routes.ts';

/** What is known of one flow: its files, its draft and what of it serves. */
export interface Entry {
  readonly id: string;
  /** Files of this name in rank order. The first one is the flow; others are mistakes. */
  files: readonly FlowFile[];
  /** The first file's content. */
  file: Stored | undefined;
  draft: StoredDraft | undefined;
  serving: Serving | undefined;
}

/** A content on disk. */
export interface Stored {
  /** Of the bytes as they lie there. */
  readonly hash: string;
  /** Unix milliseconds. */
  readonly modifiedAt: number;
  readonly examined: Examined;
}

export interface StoredDraft extends Stored {
  /** Who wrote it since the last published version. */
  readonly writers: readonly string[];
}

export interface Serving {
  readonly live: LiveFlow;
  readonly triggers: readonly TriggerInfo[];
  readonly routes: readonly TriggerRoute[];
}

export function newEntry(id: string): Entry {
  return { id, files: [], file: undefined, draft: undefined, serving: undefined };
}

export function servingOf(id: string, examined: Examined): Serving | undefined {
  const { flow, version, triggers } = examined;
  if (!flow) return undefined;
  const live: LiveFlow = {
    id,
    version,
    flow,
    get compiled() {
      return examined.compiled();
    },
  };
  return { live, triggers, routes: routesOf(triggers).map((place) => ({ ...place, flow: live })) };
}

/** The content that is edited. */
export function edited(entry: Entry): Stored | undefined {
  return entry.draft ?? entry.file;
}

/** Changes with every change of file or draft. */
export function revisionOf(entry: Entry): string {
  return contentHash(`${entry.file?.hash ?? ''} ${entry.draft?.hash ?? ''}`);
}

/** It is written in code, so nothing here may change it. */
export function isCode(entry: Entry): boolean {
  return entry.files[0]?.code === true;
}

/** Its file is what serves. */
export function isLive(entry: Entry): boolean {
  return entry.file !== undefined && entry.serving?.live.version === entry.file.examined.version;
}

/** Its file could serve and does not. */
export function isWaiting(entry: Entry): boolean {
  return entry.file?.examined.runnable === true && !isLive(entry);
}

export function recordOf(entry: Entry, readOnly: boolean): FlowRecord {
  const { examined } = edited(entry) ?? NOTHING;
  const { name, description } = examined?.flow ?? entry.serving?.live.flow ?? NAMELESS;
  return {
    id: entry.id,
    name,
    description,
    file: entry.files[0]?.shown ?? `${entry.id}.json`,
    state: stateOf(entry),
    version: entry.serving?.live.version,
    revision: revisionOf(entry),
    hasDraft: entry.draft !== undefined,
    readOnly: readOnly || isCode(entry),
    problems: [...(examined?.problems ?? []), ...doubles(entry, 0)],
    triggers: triggersOf(entry),
    calls: callsOf(entry),
    updatedAt: updatedAt(entry),
  };
}

function stateOf(entry: Entry): FlowRecord['state'] {
  if (isLive(entry)) return 'live';
  return entry.file ? 'broken' : 'draft';
}

/** Of what serves, or else of what is edited. */
function triggersOf(entry: Entry): readonly TriggerInfo[] {
  return entry.serving?.triggers ?? edited(entry)?.examined.triggers ?? [];
}

/** Of what is edited: who follows calls wants to see those that are being drawn. */
function callsOf(entry: Entry): readonly string[] {
  return edited(entry)?.examined.calls ?? [];
}

function updatedAt({ file, draft }: Entry): string {
  return new Date(Math.max(file?.modifiedAt ?? 0, draft?.modifiedAt ?? 0)).toISOString();
}

const NOTHING: Partial<Stored> = {};
const NAMELESS: Partial<Flow> = {};

/** Files that have the id of an earlier one: listed with their problem, and otherwise without effect. */
export function shadowedRecords(entry: Entry): FlowRecord[] {
  return entry.files.slice(1).map((file, i) => ({
    ...recordOf({ ...newEntry(entry.id), files: [file] }, true),
    state: 'broken',
    problems: doubles(entry, i + 1),
  }));
}

/** The first file serves, so for that one it is only a warning. */
function doubles(entry: Entry, at: number): Problem[] {
  if (entry.files.length < 2) return [];
  const [first, ...others] = entry.files.map((file) => file.shown);
  const all = `The files ${[first, ...others].join(' and ')} have the same id`;
  return [
    {
      code: 'duplicate-flow-id',
      severity: at === 0 ? 'warning' : 'error',
      message: `${all}; only ${first} serves. Rename the ${others.length > 1 ? 'others' : 'other'}.`,
    },
  ];
}
