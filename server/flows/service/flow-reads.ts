import type { FlowDocument, FlowService } from './flow-types.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { withPrepared } from '../../access/http/prepared-json.ts';
import {
  edited,
  type Entry,
  isLive,
  recordOf,
  revisionOf,
  servingOf,
  shadowedRecords,
  type Stored,
} from './entry.ts';
import type { Examinations } from './examinations.ts';
import type { Examined } from './examine.ts';
import type { FlowIndex } from './flow-index.ts';
import type { FlowStore } from './flow-store.ts';
import type { LargeJson } from './large-json.ts';
import { routesOf } from './trigger-routes.ts';

export interface FlowReadsDeps {
  readonly index: FlowIndex;
  readonly store: Pick<FlowStore, 'layout' | 'isLayoutBroken' | 'place' | 'versions'>;
  readonly examinations: Examinations;
  readonly readOnly: boolean;
  readonly largeJson: LargeJson;
}

/** The read operations on flows; none changes anything. */
export type FlowReads = Pick<
  FlowService,
  'list' | 'get' | 'check' | 'checkApart' | 'versions' | 'versionText' | 'draft' | 'draftRoutes' | 'revision'
> & {
  document(entry: Entry): Promise<FlowDocument>;
};

export function createFlowReads(deps: FlowReadsDeps): FlowReads {
  const { index, store, examinations, readOnly } = deps;
  const { versions } = store;

  function entryOf(id: string): Entry {
    const entry = index.entries.get(id);
    if (!entry) throw new ServiceError('flow_not_found', `There is no flow ${id}.`);
    return entry;
  }

  /**
   * Updates the stored results of a flow. The edited or waiting version is compiled too, so that compile errors are
   * reported.
   */
  async function renew(entry: Entry): Promise<void> {
    await index.renew(entry);
    const { file, draft } = entry;
    const ready = <S extends Stored>(stored: S): Promise<S> => compiled(examinations, stored);
    const [newFile, newDraft] = [
      file && !isLive(entry) && (await ready(file)),
      draft && (await ready(draft)),
    ];
    if (newFile && entry.file === file) entry.file = newFile;
    if (entry.draft === draft) entry.draft = newDraft;
  }

  async function document(entry: Entry): Promise<FlowDocument> {
    await renew(entry);
    return documentOf(deps, entry);
  }

  return {
    document,
    list: () =>
      [...index.entries.values()]
        .filter((entry) => edited(entry) !== undefined)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .flatMap((entry) => [recordOf(entry, readOnly), ...shadowedRecords(entry)]),
    get: async (id) => document(entryOf(id)),
    check: (text, id) => found(examinations.now(id, text)),
    async checkApart(text, id) {
      return found(await examinations.examine(id, text));
    },
    revision(id) {
      const entry = index.entries.get(id);
      return entry && edited(entry) && revisionOf(entry);
    },
    versions: async (id) => versions.list(entryOf(id).id),
    async versionText(id, version) {
      const text = await versions.text(entryOf(id).id, version);
      if (text === undefined)
        throw new ServiceError('version_not_found', `Flow ${id} has no version ${version}.`);
      return text;
    },
    draftRoutes: () => [...index.entries.values()].flatMap(draftRoutesOf),
    async draft(id) {
      const entry = entryOf(id);
      await renew(entry);
      const content = edited(entry);
      const examined = content && (await examinations.compiled(content.examined));
      const serving = examined?.runnable ? servingOf(id, examined) : undefined;
      if (serving) return entry.draft ? { ...serving.live, writers: entry.draft.writers } : serving.live;
      throw new ServiceError('flow_invalid', `Flow ${id} has errors.`, { detail: examined?.problems ?? [] });
    },
  };
}

function draftRoutesOf({ id, draft }: Entry): ReturnType<FlowService['draftRoutes']> {
  return draft === undefined ? [] : [{ flow: id, routes: routesOf(draft.examined.triggers) }];
}

async function documentOf(
  { store, readOnly, largeJson }: FlowReadsDeps,
  entry: Entry,
): Promise<FlowDocument> {
  const record = recordOf(entry, readOnly);
  const examined = edited(entry)?.examined;
  const path = entry.files[0]?.path ?? store.place(entry.id);
  const layout = await store.layout(path);
  const isBroken = layout === undefined && (await store.isLayoutBroken?.(path));
  const members = { text: examined?.source ?? '', flow: examined?.flow };
  return withPrepared(
    { ...record, layout, ...(isBroken && { layoutBroken: true }) },
    members,
    () => examined && largeJson.of(examined),
  );
}

async function compiled<S extends Stored>(examinations: Examinations, stored: S): Promise<S> {
  const examined = await examinations.compiled(stored.examined);
  return examined === stored.examined ? stored : { ...stored, examined };
}

function found({ flow, problems }: Examined): ReturnType<FlowService['check']> {
  return { flow, problems: [...problems] };
}
