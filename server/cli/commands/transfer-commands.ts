import type { Command } from 'commander';
import type { ExitCode, Io } from '../io.ts';

/** The commands that import flows from DB-GPT's JSON and export them to it; their code is loaded when one is called. */
export function addTransferCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('import')
    .description('import a flow as a draft from the JSON that DB-GPT’s visual editor exports')
    .argument('<file>', 'its JSON file, or one that `weft export` wrote')
    .option('--id <id>', 'id of the new flow; by default from its name')
    .option(
      '--open-triggers',
      'keep triggers open that are open to all in the file; otherwise they require a key',
      false,
    )
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft import chat-flow.json\n  $ weft import hello.json --id hello --open-triggers\n\nExit codes: 0 ok, 1 the flow has errors to correct, or cannot be imported, 2 wrong usage.',
    )
    .action(async (file: string, given: { id?: string; openTriggers: boolean; json: boolean }) => {
      const { id, openTriggers: open, json } = given;
      const { importFile } = await import('./import.ts');
      done(await importFile({ file, id, open, json }, io));
    });
  program
    .command('export')
    .description('export a flow with its layout to that JSON; `weft import` reads it back without loss')
    .argument('<flow>', 'id of a flow in the flows folder, or a flow file')
    .option('--out <file>', 'file to write; by default standard output')
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft export simple_dag_example\n  $ weft export flows/a.json --out a-export.json\n\nExit codes: 0 ok, 1 the flow does not parse, 2 wrong usage.',
    )
    .action(async (flow: string, { out }: { out?: string }) => {
      const { exportFile } = await import('./export.ts');
      done(await exportFile({ flow, out }, io));
    });
}
