import type { ToolTrial } from '#shared/tool-trial.ts';
import { call } from './client.ts';

interface ToolWish {
  readonly node: string;
  readonly tool: { readonly type: string; readonly name: string; readonly value: unknown };
  readonly call?: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
}

/** What a model would see of a tool of an agent; with a call, what the tool answers. */
export const tryTool = (flow: string, body: ToolWish): Promise<ToolTrial> =>
  call(
    async () => (await import('#shared/tool-trial.ts')).ToolTrial,
    'POST',
    `/api/v1/flows/${encodeURIComponent(flow)}/tools/try`,
    { body },
  );
