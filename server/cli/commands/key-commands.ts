import type { Command } from 'commander';
import type { ExitCode, Io } from '../io.ts';
import { createKey, listKeys, type NewKey, revokeKey } from './keys.ts';

/** The commands for API keys; a server that runs on the data folder is asked, and needs no restart. */
export function addKeyCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  const keys = program
    .command('keys')
    .description('list, make and revoke the API keys of the data folder, also while the server runs')
    .helpCommand(false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft keys create deploy --scopes flows:write,flows:publish --expires 90d\n  $ weft keys list --json\n  $ weft keys revoke deploy\n\nExit codes: 0 ok, 1 it cannot be done, 2 wrong usage.',
    );
  keys
    .command('list')
    .description('what keys may do, when they end and were used last; never the keys')
    .option('--json', 'print the result as JSON', false)
    .action(async (options: { json: boolean }) => done(await listKeys(options, io)));
  keys
    .command('create')
    .description('make a key, and print it this once')
    .argument('<name>', 'who or what it is for; each name once')
    .requiredOption('--scopes <list>', 'what it may do, separated by commas')
    .option('--expires <when>', 'a number of days like 90d, or a date; without, it lasts until it is revoked')
    .option('--json', 'print the result as JSON', false)
    .action(async (name: string, options: Omit<NewKey, 'name' | 'expires'> & { expires?: string }) =>
      done(await createKey({ expires: undefined, ...options, name }, io)),
    );
  keys
    .command('revoke')
    .description('make a key good for no further request')
    .argument('<key>', 'its name or id')
    .option('--json', 'print the result as JSON', false)
    .action(async (key: string, { json }: { json: boolean }) => done(await revokeKey({ key, json }, io)));
}
