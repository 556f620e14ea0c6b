import type { Command } from 'commander';
import type { ExitCode, Io } from '../io.ts';

/** The commands that take flows from DB-GPT's JSON and give them in it; what they need is loaded when one is called. */
export function addTransferCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('import')
    .description('take over a flow from the JSON that DB-GPT’s visual editor exports, as a draft')
    .argument('<file>', 'its JSON file, or one that `weft export` wrote')
    .option('--id <id>', 'id of the new flow; by default from its name')
    .option(
      '--open-triggers',
      'leave triggers open to all that are so in the file; else they ask for a key',
      false,
    )
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft import chat-flow.json\n  $ weft import hello.json --id hello --open-triggers\n\nExit codes: 0 ok, 1 it has errors to mend, or cannot be imported, 2 wrong usage.',
    )
    .action(async (file: string, given: { id?: string; openTriggers: boolean; json: boolean }) => {
      const { id, openTriggers: open, json } = given;
      const { importFile } = await import('./import.ts');
      done(await importFile({ file, id, open, json }, io));
    });
  program
    .command('export')
    .description('write a flow with its layout in that JSON; `weft import` reads it back without loss')
    .argument('<flow>', 'id of a flow in the flows folder, or a flow file')
    .option('--out <file>', 'file to write; standard output without it')
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft export simple_dag_example\n  $ weft export flows/a.json --out a-export.json\n\nExit codes: 0 ok, 1 the flow does not parse, 2 wrong usage.',
    )
    .action(async (flow: string, { out }: { out?: string }) => {
      const { exportFile } = await import('./export.ts');
      done(await exportFile({ flow, out }, io));
    });
}
