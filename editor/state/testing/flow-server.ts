import type { FlowDetail } from '#shared/api.ts';
import type { Flow } from '#shared/flow.ts';
import type { Layout } from '#shared/layout.ts';
import { ApiError } from '../../api/client.ts';
import type { FlowApi } from '../save.ts';

/** The server's side of saving, with its rule: a change names the revision that it is based on. */
export class FlowServer {
  /** `draft`: the base of the draft, if the text is one. */
  files = new Map<string, { text: string; revision: number; layout?: Layout; draft?: string }>();
  /** The live version, and the flows of versions. */
  live: string | undefined;
  versions = new Map<string, Flow>();
  calls: string[] = [];
  problems: FlowDetail['problems'] = [];
  fails: ApiError | undefined;
  /** What happens in the editor during a save. */
  meanwhile: (() => void) | undefined;

  put(id: string, flow: Flow): void {
    const revision = (this.files.get(id)?.revision ?? 0) + 1;
    this.files.set(id, { text: JSON.stringify(flow), revision });
  }

  detail(id: string): FlowDetail {
    const file = this.files.get(id);
    if (!file) throw new ApiError('flow_not_found', `There is no flow ${id}.`, 404);
    return {
      id,
      file: `${id}.json`,
      state: 'live',
      version: this.live ?? 'v',
      revision: String(file.revision),
      hasDraft: this.problems.length > 0 || file.draft !== undefined,
      ...(file.draft !== undefined && { base: file.draft }),
      readOnly: false,
      problems: this.problems,
      triggers: [],
      calls: [],
      updatedAt: '2026-01-01T00:00:00.000Z',
      text: file.text,
      flow: JSON.parse(file.text) as Flow,
      ...(file.layout && { layout: file.layout }),
    };
  }

  private based(id: string, revision: string): void {
    if (this.fails) throw this.fails;
    if (this.detail(id).revision !== revision)
      throw new ApiError('revision_conflict', 'It was changed.', 409);
  }

  readonly api: FlowApi = {
    getFlow: async (id) => this.detail(id),
    createFlow: async (id, text) => {
      this.calls.push(`create ${id}`);
      if (this.files.has(id)) throw new ApiError('conflict', 'It exists.', 409);
      this.put(id, JSON.parse(text) as Flow);
      return this.detail(id);
    },
    getVersionText: async (_id, version) => {
      const found = this.versions.get(version);
      if (found === undefined) throw new ApiError('version_not_found', 'It is not stored.', 404);
      return JSON.stringify(found);
    },
    restoreVersion: async (id, version, revision) => {
      this.calls.push(`restore ${version}`);
      this.based(id, revision);
      this.live = version;
      this.put(id, this.versions.get(version) as Flow);
      return this.detail(id);
    },
    saveFlow: async (id, text, revision, base) => {
      this.calls.push(base === undefined ? `save ${id}` : `save ${id} on ${base}`);
      this.based(id, revision);
      this.put(id, JSON.parse(text) as Flow);
      const file = this.files.get(id);
      if (file && base !== undefined) file.draft = base;
      this.meanwhile?.();
      return this.detail(id);
    },
    saveLayout: async (id, layout) => {
      this.calls.push(`layout ${id}`);
      if (this.fails) throw this.fails;
      const file = this.files.get(id);
      if (file) file.layout = layout;
      this.meanwhile?.();
      return layout;
    },
    publishFlow: async (id, revision) => {
      this.calls.push(`publish ${id}`);
      this.based(id, revision);
      return this.detail(id);
    },
    discardDraft: async (id, revision) => {
      this.based(id, revision);
      return this.detail(id);
    },
  };
}
