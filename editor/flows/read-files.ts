import type { Flow } from '#shared/flow.ts';
import { Layout } from '#shared/layout.ts';
import type { Problem } from '#shared/problem.ts';
import { idFrom } from '#shared/flow-copy.ts';

/** A file that somebody dropped or chose, with its content. */
export interface FileText {
  readonly name: string;
  readonly text: string;
}

/** A file to import: a flow with its layout, if there was one, or its problems. */
export type ReadFile =
  | { readonly name: string; readonly flow: Flow; readonly layout: Layout | undefined }
  | { readonly name: string; readonly problems: readonly Pick<Problem, 'message' | 'line' | 'column'>[] };

const LAYOUT = '.layout.json';

/** Reads dropped or chosen files. `x.layout.json` belongs to `x.json`; on its own it is refused. */
export async function readFiles(files: readonly FileText[]): Promise<ReadFile[]> {
  const { parse } = await import('./flow-text.ts');
  const layouts = new Map(
    files.filter(({ name }) => name.endsWith(LAYOUT)).map(({ name, text }) => [stem(name), text]),
  );
  const flows = files.filter(({ name }) => !name.endsWith(LAYOUT));
  const lonely = [...layouts.keys()].filter((id) => !flows.some(({ name }) => stem(name) === id));
  return [
    ...flows.map(({ name, text }): ReadFile => {
      const { flow, problems } = parse(text);
      if (!flow) return { name, problems };
      const id = flow.id === '' ? idFrom(stem(name)) : flow.id;
      return { name, flow: { ...flow, id }, layout: readLayout(layouts.get(stem(name))) };
    }),
    ...lonely.map((id) => ({
      name: `${id}${LAYOUT}`,
      problems: [{ message: `This is only the layout of a flow. Drop ${id}.json together with it.` }],
    })),
  ];
}

/** An invalid layout is ignored: it only affects how the flow is drawn. */
function readLayout(text: string | undefined): Layout | undefined {
  if (text === undefined) return undefined;
  try {
    return Layout.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function stem(name: string): string {
  return name.endsWith(LAYOUT) ? name.slice(0, -LAYOUT.length) : name.replace(/\.json$/i, '');
}
