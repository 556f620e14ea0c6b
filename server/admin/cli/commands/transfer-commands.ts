import type { Command } from 'commander';
import { type ExitCode, type Io, UsageError } from '../io.ts';

/** The commands that import flows of other products, and export flows to DB-GPT's JSON; their code is loaded when one is called. */
export function addTransferCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('import')
    .description('import flows of n8n, Dify and DB-GPT as drafts, after a report of what each node becomes')
    .argument(
      '[file]',
      'a file, also one that `weft export` wrote; a folder or zip archive of them; an address (https://…); or database.sqlite of n8n',
    )
    .option(
      '--all',
      'take over everything from a file that `weft export --all` wrote, where nothing is yet',
      false,
    )
    .option('--id <id>', 'id of the new flow; by default from its name')
    .option(
      '--open-triggers',
      'keep triggers open that are open to all in the file; otherwise they require a key',
      false,
    )
    .option('--from <product>', 'all workflows of an instance: n8n, with --url and --key')
    .option('--url <address>', 'address of the instance, such as https://n8n.example.com')
    .option('--key <key>', 'key of its public API')
    .option('--check', 'write nothing: print what files of n8n and Dify would become, as JSON', false)
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft import chat-flow.json\n  $ weft import hello.json --id hello --open-triggers\n  $ weft import dbgpts/workflow\n  $ weft import flows.zip --json\n  $ weft import workflow.json --check\n  $ weft import --from n8n --url https://n8n.example.com --key n8n_api_…\n  $ weft import --all everything.jsonl\n\nExit codes: 0 ok, 1 a flow has errors to correct, or something in it has no counterpart, or it cannot be imported, 2 wrong usage.',
    )
    .action(
      async (
        named: string | undefined,
        given: {
          id?: string;
          openTriggers: boolean;
          json: boolean;
          all: boolean;
          check: boolean;
          from?: string;
          url?: string;
          key?: string;
        },
      ) => {
        const file = sourceOf(named, given);
        if (given.all) {
          const { importEverything } = await import('./move-all.ts');
          return done(await importEverything(file, io));
        }
        const { id, openTriggers: open, json, check } = given;
        const { importFile } = await import('./import.ts');
        const instance = given.from === undefined ? {} : { instance: { key: given.key ?? '' } };
        done(await importFile({ file, id, open, json, check, ...instance }, io));
      },
    );
  addExport(program, io, done);
}

/** The file, or the address of an instance. Throws `UsageError` if neither or both are named. */
function sourceOf(
  file: string | undefined,
  { from, url, key }: { readonly from?: string; readonly url?: string; readonly key?: string },
): string {
  if (from === undefined) {
    if (file === undefined)
      throw new UsageError('Name a file, a folder or an address, or an instance with --from.');
    if (url !== undefined || key !== undefined) throw new UsageError('--url and --key go with --from n8n.');
    return file;
  }
  if (from !== 'n8n')
    throw new UsageError(`--from ${from}: n8n is the only product whose instance is asked.`);
  if (file !== undefined)
    throw new UsageError('With --from the workflows come from the instance; leave the file out.');
  if (url === undefined || key === undefined || key === '')
    throw new UsageError('--from n8n needs --url and --key.');
  return url;
}

function addExport(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('export')
    .description('export a flow with its layout to that JSON; `weft import` reads it back without loss')
    .argument('[flow]', 'id of a flow in the flows folder, or a flow file')
    .option(
      '--all',
      'write everything: flows with versions, apps, keys, secrets, connections, variables, state',
      false,
    )
    .option('--out <file>', 'file to write; by default standard output')
    .option(
      '--for <version>',
      'with --all: leave out what this older version (0.2) would refuse, and list it',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft export simple_dag_example\n  $ weft export flows/a.json --out a-export.json\n  $ weft export --all --out everything.jsonl\n  $ weft export --all --for 0.2 --out everything.jsonl\n\nExit codes: 0 ok, 1 the flow does not parse, 2 wrong usage.',
    )
    .action(async (flow: string | undefined, given: { out?: string; for?: string; all: boolean }) => {
      const { out, all } = given;
      if (all && flow === undefined) {
        const { exportEverything } = await import('./move-all.ts');
        return done(await exportEverything(given, io));
      }
      if (given.for !== undefined) throw new UsageError('--for is for an export of everything: add --all.');
      if (flow === undefined || all) throw new UsageError('Name a flow, or export everything with --all.');
      const { exportFile } = await import('./export.ts');
      done(await exportFile({ flow, out }, io));
    });
}
