import type { ErrorEntry } from './entry.ts';

/** Runs that outlive the process, and what they wait for. */
export const durableErrors = {
  needs_durable: {
    status: 500,
    meaning: 'A node waits for people or programs in a run that is only in memory.',
    remedy: 'Set `settings.durable` of the flow to true, and run it on a server.',
  },
  durable_too_large: {
    status: 422,
    meaning: 'A durable run would have to record more than 20,000 steps, or 64 MB of them.',
    remedy:
      'Put the part that repeats into a For each or a Repeat until, which keep one record for 500 rounds. Or start a run for each batch, and give less as results.',
  },
  durable_result_too_large: {
    status: 500,
    meaning: 'A step of a durable run returned more than can be recorded (10 MB).',
    remedy: 'Store the data elsewhere and pass on where it is, or set `settings.durable` to false.',
  },
  durable_not_serialisable: {
    status: 500,
    meaning:
      'A step of a durable run returned something that JSON cannot restore: a date, a map, an instance of a class.',
    remedy: 'Turn it into text, a number or a plain object within the node; the message says where it is.',
  },
  run_not_retryable: {
    status: 409,
    meaning: 'Only a durable run that failed or was cancelled can be tried again.',
    remedy: 'Look at the state of the run; start a new run if it succeeded.',
  },
} as const satisfies Record<string, ErrorEntry>;

/** Servers that share a PostgreSQL database (docs/cluster.md). */
export const clusterErrors = {
  servers_too_old: {
    status: 409,
    meaning:
      'A server on the same database does not read the format of this flow, or does not know this kind of connection.',
    remedy:
      'Upgrade the servers that the message names, or take out what needs the newer format; then publish or save.',
  },
  command_needs_server: {
    status: 503,
    meaning: 'Only a server can do what the command asks for, and none runs with these settings.',
    remedy:
      'Start one, set WEFT_DATA to the folder of one that runs on this machine, or use the HTTP API of another one.',
  },
  database_unreachable: {
    status: 503,
    meaning: 'The database of WEFT_DATABASE_URL cannot be reached, or refuses connections for now.',
    remedy: 'Start it, or correct the address; a running server reconnects by itself.',
  },
  database_denied: {
    status: 503,
    meaning: 'The database of WEFT_DATABASE_URL does not exist, or does not admit this user and password.',
    remedy: 'Correct user, password and name in WEFT_DATABASE_URL, and let the user create tables there.',
  },
  database_too_old: {
    status: 503,
    meaning: 'The database server is older than PostgreSQL 15.',
    remedy: 'Use PostgreSQL 15 or newer.',
  },
  database_newer: {
    status: 503,
    meaning: 'The database was migrated by a newer version of Weft.',
    remedy: 'Start that version or a later one; this one would damage the data.',
  },
  database_older: {
    status: 503,
    meaning: 'The database has tables of an older format, or none, and this command does not migrate it.',
    remedy:
      'Run `weft migrate` (see first what `weft migrate --dry-run` lists), or use the version of the servers.',
  },
  database_in_use: {
    status: 503,
    meaning:
      'A migration did not get a table for a minute, because other transactions hold it; nothing was changed.',
    remedy:
      'Let long transactions end, such as a pg_dump or an open psql (pg_stat_activity lists them), then start again.',
  },
  database_read_only: {
    status: 503,
    meaning: 'The database is read-only: a standby, or one whose transactions are read-only by default.',
    remedy: 'Set WEFT_DATABASE_URL to the primary.',
  },
  database_no_notices: {
    status: 503,
    meaning: 'A NOTIFY to itself did not arrive, so this server would hear of changes late.',
    remedy: 'Set WEFT_DATABASE_DIRECT_URL to the same database without a transaction pooler.',
  },
  restate_sdk_missing: {
    status: 503,
    meaning: 'WEFT_RESTATE_URL is set, and the package @restatedev/restate-sdk is not installed.',
    remedy: 'Install it beside Weft: `npm install @restatedev/restate-sdk`.',
  },
  restate_unreachable: {
    status: 503,
    meaning: 'Restate does not answer at WEFT_RESTATE_URL or WEFT_RESTATE_ADMIN_URL.',
    remedy: 'Start it, or correct the address that the message names.',
  },
  restate_not_admin: {
    status: 503,
    meaning: 'WEFT_RESTATE_ADMIN_URL does not lead to the admin API of a Restate server.',
    remedy: 'Set it to the admin address, by default port 9070.',
  },
  restate_not_ingress: {
    status: 503,
    meaning: 'WEFT_RESTATE_URL does not lead to the ingress of a Restate server.',
    remedy: 'Set it to the ingress address, by default port 8080.',
  },
  restate_version: {
    status: 503,
    meaning: 'The Restate server is older than 1.5, or of another major version.',
    remedy: 'Use Restate 1.5 or a later 1.x.',
  },
  restate_cannot_reach: {
    status: 503,
    meaning: 'Restate cannot reach this server at WEFT_RESTATE_SERVICE_URL, or refuses what it offers.',
    remedy:
      'Set WEFT_RESTATE_SERVICE_URL to an address that Restate can reach and that leads to this server.',
  },
  restate_port_taken: {
    status: 503,
    meaning: 'The port for requests of Restate is taken, or may not be used.',
    remedy: 'Set WEFT_RESTATE_PORT to a free port.',
  },
  durable_engine_changed: {
    status: 503,
    meaning:
      'The database has unfinished durable runs that another engine executes (WEFT_RESTATE_URL was set or unset).',
    remedy: 'Start with the former setting until those runs have ended, or cancel them there.',
  },
  database_stale: {
    status: 503,
    meaning: 'The server has not reached the database for ten seconds, so a key may have been revoked since.',
    remedy: 'Send the request to another server, or repeat it once the database can be reached.',
  },
  flow_needs_operator: {
    status: 503,
    meaning: 'The flow is live, but this server lacks operators that it uses, which another server has.',
    remedy:
      'Send the request to another server. Give all servers the same operators and packages; `weft nodes` shows which lack some.',
  },
  first_process_away: {
    status: 503,
    meaning:
      'The first process of this server, which keeps the data folder, is being started again; this request needs it.',
    remedy: 'Repeat the request after a second. If that does not help, the log says why it does not start.',
  },
  role_needs_database: {
    status: 503,
    meaning: 'WEFT_ROLE leaves work to other servers, and a server with a data folder has none.',
    remedy: 'Set WEFT_DATABASE_URL and WEFT_SECRETS_KEY (docs/cluster.md), or set WEFT_ROLE to `all`.',
  },
  secrets_key_other: {
    status: 503,
    meaning: 'The database belongs to servers with another WEFT_SECRETS_KEY.',
    remedy: 'Give all servers of a database the same key, and each service a database of its own.',
  },
  secrets_key_rotated: {
    status: 503,
    meaning: 'The secrets were sealed with a new key, and this server has only the old one.',
    remedy: 'Set WEFT_SECRETS_KEY to the new key and start the server again; the others go on meanwhile.',
  },
  secrets_key_lacking: {
    status: 409,
    meaning:
      'The secrets cannot be sealed with a new key, or former keys not be forgotten yet, because servers that are up were not given the new key or have not applied all changes.',
    remedy:
      'Start them again, one after the other, with WEFT_SECRETS_KEY_NEXT set to the new key; then repeat the command.',
  },
  secrets_still_sealed: {
    status: 409,
    meaning:
      'Former secrets keys cannot be forgotten yet, because what they have sealed may still be needed and cannot be sealed anew.',
    remedy: 'Wait until the durable runs that Restate carries on have ended; then repeat the command.',
  },
  run_server_gone: {
    status: 410,
    meaning: 'The server that executed the run has died, and with it what only that server knew of the run.',
    remedy:
      'If the run is not in the history, it had not ended: start it again. Durable runs outlive their server.',
  },
  run_server_unreachable: {
    status: 503,
    meaning: 'The run is executed by another server, which cannot be reached.',
    remedy:
      'Repeat the request. If that does not help, set WEFT_INTERNAL_URL of that server to an address that the others reach.',
  },
  peer_refused: {
    status: 401,
    meaning:
      'The request claims to come from another server of the database, and its proof is wrong or was used.',
    remedy:
      'Omit the header `X-Weft-Peer`. Between servers: give them the same WEFT_SECRETS_KEY, and each its own WEFT_INTERNAL_URL.',
  },
} as const satisfies Record<string, ErrorEntry>;

/** Runs that wait for people or programs. */
export const waitErrors = {
  wait_not_found: {
    status: 404,
    meaning: 'There is no wait with this id, and there was none.',
    remedy: 'GET /api/v1/waits lists the waits. An id is `<run>.<node>`.',
  },
  wait_decided: {
    status: 409,
    meaning: 'Somebody else has decided it already; the first decision counts.',
    remedy: 'The message says who and when. There is nothing left to do.',
  },
  wait_expired: {
    status: 409,
    meaning: 'The time to decide is over; the run continued without a decision.',
    remedy: 'Start the run again, or give the node a longer `expiresAfter`.',
  },
  wait_void: {
    status: 409,
    meaning: 'The run is over, so there is nothing to decide any more.',
    remedy: 'Look at the run: it says how it ended.',
  },
  wait_run_lost: {
    status: 410,
    meaning: 'The waiting run is no longer in durable.db, so a decision would reach nobody.',
    remedy: 'Stop the server and restore durable.db from a backup; the log says since when it is missing.',
  },
  wait_answer_invalid: {
    status: 422,
    meaning: 'The decision does not match what the wait asks for.',
    remedy: 'Fix what `detail` lists, or send a decision that the wait accepts.',
  },
} as const satisfies Record<string, ErrorEntry>;
