import type { ToolTrial } from '#shared/tool-trial.ts';
import { call } from './client.ts';

interface ToolWish {
  readonly node: string;
  readonly tool: { readonly type: string; readonly name: string; readonly value: unknown };
  readonly call?: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
}

/** A tool of an agent as a model would see it; with a call, also its answer. */
export const tryTool = (flow: string, body: ToolWish): Promise<ToolTrial> =>
  call(
    async () => (await import('#shared/tool-trial.ts')).ToolTrial,
    'POST',
    `/api/v1/flows/${encodeURIComponent(flow)}/tools/try`,
    { body },
  );
