import type { Command } from 'commander';
import type { Config } from '../../../base/config/config.ts';
import { sealAnew } from '../../../integrations/connections/stored-connections.ts';
import type { OwnData } from '../../control/own-data.ts';
import type { Forgotten } from '../../control/forget-keys.ts';
import { type Rotated, rotateSecrets } from '../../control/rotate-secrets.ts';
import { openOwnDatabase } from '../../control/own-data.ts';
import { withData } from '../../control/with-data.ts';
import { createRedactor } from '../../../base/secrets/redactor.ts';
import { openSecrets } from '../../../base/secrets/store.ts';
import { count, type ExitCode, type Io, UsageError, writeJson } from '../io.ts';
import { readSettings } from '../local/project.ts';

/** `weft secrets`: replaces the secrets key without a stop, and forgets the former one. */
export function addSecretCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  const secrets = program.command('secrets').description('manage how secrets and connections are encrypted');
  secrets
    .command('rotate')
    .description(
      'seal all secrets and connections again: WEFT_SECRETS_KEY is the current key, WEFT_SECRETS_KEY_NEXT the new one; without both, a data folder gets a new key file',
    )
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nServers of a database must have been started with WEFT_SECRETS_KEY_NEXT before (docs/cluster.md).\n\nExamples:\n  $ WEFT_SECRETS_KEY_NEXT=$(cat new.key) weft secrets rotate\n\nExit codes: 0 ok, 1 it was refused, 2 wrong usage.',
    )
    .action(async ({ json }: { json: boolean }) => done(await rotate(json, io)));
  secrets
    .command('forget')
    .description(
      'seal all data of the database in WEFT_DATABASE_URL again that former keys have sealed, then forget these keys',
    )
    .option('--dry-run', 'only count it', false)
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nAll servers must have been started with the current key.\n\nExamples:\n  $ weft secrets forget --dry-run\n  $ weft secrets forget\n\nExit codes: 0 ok, 1 it was refused, 2 wrong usage.',
    )
    .action(async (given: ForgetAsked) => done(await forget(given, io)));
}

async function rotate(json: boolean, io: Io): Promise<ExitCode> {
  const config = readSettings(io);
  const { databaseUrl, secretsKey, secretsKeyNext: next } = config;
  if (next === undefined && (databaseUrl !== undefined || secretsKey !== undefined))
    throw new UsageError('Set WEFT_SECRETS_KEY_NEXT to the new key: `openssl rand -base64 32` creates one.');
  const rotated =
    databaseUrl === undefined
      ? await withData(
          config,
          (own) => rotateOwn(config, own),
          async (ask) =>
            (await ask({ do: 'secrets.rotate', ...(next !== undefined && { key: next }) })) as Rotated,
        )
      : await rotateShared({ ...config, databaseUrl });
  if (json) writeJson(io, rotated);
  else {
    const { secrets, connections } = rotated;
    io.stderr.write(`Sealed anew: ${count(secrets, 'secret')}, ${count(connections, 'connection')}.\n`);
    if (next !== undefined)
      io.stderr.write(
        'From the next start on, set WEFT_SECRETS_KEY to the new key, and unset WEFT_SECRETS_KEY_NEXT.\n',
      );
  }
  return 0;
}

/** Servers are notified, so none needs a request. */
async function rotateShared(config: Config & { readonly databaseUrl: string }): Promise<Rotated> {
  const own = await openOwnDatabase(config);
  try {
    await own.refuseUnlessGiven?.(config.secretsKeyNext ?? '');
    return await rotateOwn(config, own);
  } finally {
    await own.close();
  }
}

async function rotateOwn(config: Config, { documents, secretStorage, note }: OwnData): Promise<Rotated> {
  const { data, secretsKey: key, secretsKeyNext: nextKey, secrets: environment, grants } = config;
  const redactor = createRedactor();
  const secrets = openSecrets({
    data,
    key,
    nextKey,
    secretStorage,
    environment,
    grants,
    redactor,
    now: Date.now,
  });
  const db = await documents();
  const connections = { sealAnew: () => sealAnew({ db, sealer: secrets }) };
  const rotated = await rotateSecrets({ secrets, connections }, nextKey);
  await note('secrets key changed', { ...rotated });
  return rotated;
}

interface ForgetAsked {
  readonly json: boolean;
  readonly dryRun: boolean;
}

async function forget({ json, dryRun }: ForgetAsked, io: Io): Promise<ExitCode> {
  const config = readSettings(io);
  const { databaseUrl, secretsKey: key, secretsKeyNext: nextKey } = config;
  if (databaseUrl === undefined)
    throw new UsageError('Set WEFT_DATABASE_URL: former keys are forgotten in a database only.');
  const own = await openOwnDatabase({ ...config, databaseUrl });
  try {
    const { sql, secretStorage } = own;
    if (sql === undefined || secretStorage === undefined) throw new Error('A database has both.');
    if (!dryRun) await own.refuseUnlessGiven?.(secretStorage.key().toString('base64'));
    const { data, secrets: environment, grants } = config;
    const redactor = createRedactor();
    const sealer = openSecrets({
      data,
      key,
      nextKey,
      secretStorage,
      environment,
      grants,
      redactor,
      now: Date.now,
    });
    const { forgetKeys } = await import('../../control/forget-keys.ts');
    const forgotten = await forgetKeys({ sql, secretStorage, sealer }, { dryRun });
    if (!dryRun && forgotten.keys > 0) await own.note('former secrets keys forgotten', { ...forgotten });
    if (json) writeJson(io, { dryRun, ...forgotten });
    else io.stderr.write(forgottenText(forgotten, dryRun));
    return 0;
  } finally {
    await own.close();
  }
}

function forgottenText({ keys, answers, notices, durable, lost }: Forgotten, dryRun: boolean): string {
  if (keys === 0) return 'There is no former key.\n';
  const what = [
    count(answers, 'idempotency answer'),
    count(notices, 'notice'),
    `${count(durable, 'text')} of durable runs`,
  ].join(', ');
  const done = dryRun
    ? `Sealed with former keys: ${what}. ${count(keys, 'key')} would be forgotten.\n`
    : `Sealed anew: ${what}. ${count(keys, 'former key')} forgotten.\n`;
  return lost === 0 ? done : `${done}What no key opens was lost before: ${count(lost, 'row')}.\n`;
}
