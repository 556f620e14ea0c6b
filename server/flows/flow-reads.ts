import { readFile } from 'node:fs/promises';
import { Layout } from '#shared/layout.ts';
import type { FlowDocument, FlowService } from './flow-types.ts';
import { ServiceError } from '../errors/errors.ts';
import { edited, type Entry, isLive, recordOf, servingOf, shadowedRecords, type Stored } from './entry.ts';
import type { ExaminedApart } from './apart/examined-apart.ts';
import { compiledNow, type Examine } from './examine.ts';
import { layoutPath } from './flow-files.ts';
import type { FlowIndex } from './flow-index.ts';
import { recheck } from './serve-flows.ts';
import type { VersionStore } from './versions.ts';

export interface FlowReadsDeps {
  readonly home: string;
  readonly index: FlowIndex;
  readonly versions: VersionStore;
  readonly examine: Examine;
  readonly apart: Pick<ExaminedApart, 'ahead'>;
  readonly readOnly: boolean;
}

/** What can be asked of flows; nothing here changes anything. */
export type FlowReads = Pick<
  FlowService,
  'list' | 'get' | 'check' | 'checkApart' | 'versions' | 'versionText' | 'draft'
> & {
  document(entry: Entry): Promise<FlowDocument>;
};

export function createFlowReads(deps: FlowReadsDeps): FlowReads {
  const { home, index, versions, examine, apart, readOnly } = deps;

  function entryOf(id: string): Entry {
    const entry = index.entries.get(id);
    if (!entry) throw new ServiceError('flow_not_found', `There is no flow ${id}.`);
    return entry;
  }

  async function document(entry: Entry): Promise<FlowDocument> {
    await judgeApart(apart, entry);
    // Judged anew, for variables and other flows' paths may have changed since.
    const judge = (stored: Stored): Stored => {
      const judged = recheck(examine, entry.id, stored);
      return { ...judged, examined: compiledNow(judged.examined) };
    };
    const file = entry.file && (isLive(entry) ? recheck(examine, entry.id, entry.file) : judge(entry.file));
    const draft = entry.draft && { ...entry.draft, ...judge(entry.draft) };
    const examined = (draft ?? file)?.examined;
    return {
      ...recordOf({ ...entry, file, draft }, readOnly),
      text: examined?.source ?? '',
      flow: examined?.flow,
      layout: await readLayout(layoutPath(entry.files[0]?.path ?? `${home}/${entry.id}.json`)),
    };
  }

  function check(text: string, id?: string): ReturnType<FlowService['check']> {
    const { flow, problems } = examine(id, text);
    return { flow, problems: [...problems] };
  }

  return {
    document,
    list: () =>
      [...index.entries.values()]
        .filter((entry) => edited(entry) !== undefined)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .flatMap((entry) => [recordOf(entry, readOnly), ...shadowedRecords(entry)]),
    get: async (id) => document(entryOf(id)),
    check,
    async checkApart(text, id) {
      await apart.ahead(id, text);
      return check(text, id);
    },
    versions: async (id) => versions.list(entryOf(id).id),
    async versionText(id, version) {
      const text = await versions.text(entryOf(id).id, version);
      if (text === undefined)
        throw new ServiceError('version_not_found', `Flow ${id} has no version ${version}.`);
      return text;
    },
    async draft(id) {
      const entry = entryOf(id);
      const content = edited(entry);
      const examined = content && compiledNow(content.examined);
      const serving = examined?.runnable ? servingOf(id, examined) : undefined;
      if (serving) return entry.draft ? { ...serving.live, writers: entry.draft.writers } : serving.live;
      throw new ServiceError('flow_invalid', `Flow ${id} has errors.`, { detail: examined?.problems ?? [] });
    },
  };
}

/** Where too many wait for that, it is done on the spot: what was saved must be answered as saved. */
async function judgeApart(apart: FlowReadsDeps['apart'], { id, file, draft }: Entry): Promise<void> {
  for (const stored of [file, draft])
    if (stored?.examined.flow) await apart.ahead(id, stored.examined.source).catch(() => {});
}

/** A layout that is missing or broken is none: it only says how the flow is drawn. */
/** The layout in a file; undefined where there is none that can be read. */
export async function readLayout(path: string): Promise<Layout | undefined> {
  try {
    return Layout.safeParse(JSON.parse(await readFile(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}
