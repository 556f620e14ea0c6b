import type { Command } from 'commander';
import type { ExitCode, Io } from '../io.ts';

/** The commands that copy everything a server stores; their code is loaded when one is called. */
export function addBackupCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('backup')
    .description('copy the data folder and the flows to a new folder, even while a server uses them')
    .option('--to <folder>', 'folder to create; by default weft-backup-<time>')
    .option(
      '--with-key',
      'include the key of the secrets and the first API key: keep such a copy safe',
      false,
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft backup\n  $ weft backup --to /backups/monday\n\nExit codes: 0 ok, 1 the backup could not be written, 2 wrong usage.',
    )
    .action(async ({ to, withKey }: { to?: string; withKey: boolean }) => {
      const { backup } = await import('./backup.ts');
      done(await backup({ to, withKey }, io));
    });
  program
    .command('restore')
    .description('restore a backup to an empty folder, where a server can then be started')
    .argument('<backup>', 'folder that `weft backup` created')
    .requiredOption('--to <folder>', 'folder to create; it must be empty or missing')
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft restore /backups/monday --to weft-again\n\nExit codes: 0 ok, 1 the backup or the folder is not valid, 2 wrong usage.',
    )
    .action(async (from: string, { to }: { to: string }) => {
      const { restore } = await import('./backup.ts');
      done(await restore(from, to, io));
    });
}
