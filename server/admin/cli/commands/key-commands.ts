import type { Command } from 'commander';
import type { ExitCode, Io } from '../io.ts';
import { createKey, listKeys, type NewKey, revokeKey } from './keys.ts';

/** The commands for API keys. If a server uses the data folder, it executes them and needs no restart. */
export function addKeyCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  const keys = program
    .command('keys')
    .description('list, create and revoke the API keys of the data folder, even while the server runs')
    .helpCommand(false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft keys create deploy --scopes flows:write,flows:publish --expires 90d\n  $ weft keys list --json\n  $ weft keys revoke deploy\n\nExit codes: 0 ok, 1 the command failed, 2 wrong usage.',
    );
  keys
    .command('list')
    .description('list the scopes, expiry and last use of keys; never the keys themselves')
    .option('--json', 'print the result as JSON', false)
    .action(async (options: { json: boolean }) => done(await listKeys(options, io)));
  keys
    .command('create')
    .description('create a key and print it, only this once')
    .argument('<name>', 'who or what the key is for; names are unique')
    .requiredOption('--scopes <list>', 'what the key may do, separated by commas')
    .option(
      '--expires <when>',
      'expiry as a number of days like 90d, or a date; by default the key is valid until it is revoked',
    )
    .option(
      '--per-minute <number>',
      'how many requests it may make in a minute; by default there is no limit',
    )
    .option('--json', 'print the result as JSON', false)
    .action(async (name: string, options: Pick<NewKey, 'scopes' | 'json'> & Partial<NewKey>) =>
      done(await createKey({ expires: undefined, perMinute: undefined, ...options, name }, io)),
    );
  keys
    .command('revoke')
    .description('revoke a key: it is refused from now on')
    .argument('<key>', 'its name or id')
    .option('--json', 'print the result as JSON', false)
    .action(async (key: string, { json }: { json: boolean }) => done(await revokeKey({ key, json }, io)));
}
