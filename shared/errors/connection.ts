import type { ErrorEntry } from './entry.ts';

/** Connections, and the databases behind them. */
export const connectionErrors = {
  connection_not_found: {
    status: 404,
    meaning: 'No connection has this name.',
    remedy: 'GET /api/v1/connections lists the names.',
  },
  datasource_name_taken: {
    status: 409,
    meaning: 'Another connection has the name of the data source.',
    remedy: 'Choose another `db_name`, or change that one with PUT.',
  },
  datasource_unsupported: {
    status: 400,
    meaning: 'The server cannot connect to a data source of this kind or with these settings.',
    remedy: 'Use postgresql, mysql or sqlite; a file of SQLite lies in a folder of `WEFT_FOLDERS`.',
  },
  shop_name_taken: {
    status: 409,
    meaning: 'A connection has the name of one of the small shop, and is another one.',
    remedy: 'Rename or delete that connection, then switch the shop on again.',
  },
  shop_not_here: {
    status: 409,
    meaning: 'The small shop is a file of one server, and this one shares a database with others.',
    remedy: 'Try it on a server without `WEFT_DATABASE_URL`, or use your own connections.',
  },
  connection_secret_again: {
    status: 400,
    meaning:
      'A change of a connection would send its stored password or key elsewhere, or in another way, than it was given for.',
    remedy: 'Give the password or key again together with the change; `detail` names it.',
  },
  connection_missing: {
    status: 500,
    meaning: 'A node uses a connection that does not exist, or is of another kind.',
    remedy: 'Create it under Connections, or choose another one in the node.',
  },
  connection_not_granted: {
    status: 500,
    meaning: 'A node uses a connection that is not granted to it.',
    remedy: 'Press *Allow this flow* at the problem of the node, or ask an administrator.',
  },
  connection_broken: {
    status: 500,
    meaning: 'A connection cannot be opened because its settings cannot be read.',
    remedy: 'Save the connection again with all settings, or restore the secrets key.',
  },
  connection_refused: {
    status: 502,
    meaning: 'The other side refused a connection: the user, the password or key, the database or bucket.',
    remedy: 'Correct the settings of the connection; its test shows the answer.',
  },
  connection_failed: {
    status: 502,
    meaning: 'A connection could not be made, or broke off.',
    remedy: 'Try again; if it keeps failing, test the connection.',
    transient: true,
  },
  host_key_unknown: {
    status: 502,
    meaning: 'A connection does not name the fingerprint of its SSH server, so nothing was sent to it.',
    remedy:
      'Compare the fingerprint of the message with that of the server, and enter it as `fingerprint` of the connection.',
  },
  host_key_changed: {
    status: 502,
    meaning: 'An SSH server shows another key than its connection names, so nothing was sent to it.',
    remedy:
      'Ask the administrator of that server whether its key has changed; if so, enter the new fingerprint.',
  },
  command_failed: {
    status: 502,
    meaning: 'A command on an SSH server ended with another code than 0, or by a signal.',
    remedy:
      'Look at the end of its error output in the message, or let the node go on (`failOnCode`: false); `data` has the code.',
  },
  connection_busy: {
    status: 503,
    meaning: 'Too many calls wait for a connection.',
    remedy: 'Try again later, or raise `most` of the connection.',
    transient: true,
  },
  connection_limited: {
    status: 503,
    meaning:
      'The rate limit of a connection is used up, and the next turn comes after the time limit of the node.',
    remedy:
      'Let the node `retry`, which waits as long as `data.retryAfter` says; or raise the time limit of the node or the `rate` of the connection.',
    transient: true,
  },
  oauth_not_connected: {
    status: 500,
    meaning: 'A node uses a connection that nobody has signed in to.',
    remedy: 'Connect it under Connections, or with `weft connections authorize`.',
  },
  oauth_reconnect: {
    status: 502,
    meaning: 'The provider no longer accepts the sign-in of a connection, and only a new one helps.',
    remedy: 'Reconnect it under Connections, or with `weft connections authorize`.',
  },
  oauth_scope_missing: {
    status: 502,
    meaning: 'The sign-in of a connection does not allow what a node asked for.',
    remedy: 'Tick what the message names in the connection, and reconnect it.',
  },
  oauth_failed: {
    status: 400,
    meaning: 'A sign-in to a provider failed: it was refused, is too old, or was begun in another browser.',
    remedy: 'Read the message, and begin again from the connection.',
  },
  action_failed: {
    status: 502,
    meaning: 'The service behind a connection refused what a node asked of it.',
    remedy: 'Look at the message of the service, and correct the node.',
  },
  action_invalid: {
    status: 500,
    meaning:
      'An operator asked a connection for an action that its kind does not have, or gave it what it does not take.',
    remedy: 'Correct the operator; the reference of connections lists the actions of each kind.',
  },
  action_timeout: {
    status: 504,
    meaning: 'The service behind a connection did not answer in time.',
    remedy: 'Try again, or raise `timeoutMs` of the node.',
    transient: true,
  },
  sql_failed: {
    status: 502,
    meaning: 'The database refused a statement.',
    remedy: 'Look at the message of the database; `data` has its code and the position.',
  },
  sql_invalid: {
    status: 500,
    meaning: 'A statement and its values do not fit together, or two of its columns have one name.',
    remedy:
      'Give a value for each `:name` in the statement, and no others; give columns different names with AS.',
  },
  sql_not_allowed: {
    status: 422,
    meaning:
      'A statement that a model has written does more than read tables with known functions, so it was not sent.',
    remedy:
      'Ask for something that a SELECT can answer, or write the statement yourself in a `sql.query` node.',
  },
  connection_writes: {
    status: 403,
    meaning: 'The connection that answers questions has a user who may change data.',
    remedy:
      'Give the connection a user that only reads (SQLite: `readOnly`), or confirm it with `"writers": true` in its grants.',
  },
  sql_timeout: {
    status: 504,
    meaning: 'A statement took longer than its time limit.',
    remedy: 'Raise `timeoutMs` of the node, or make the statement faster.',
    transient: true,
  },
  sql_conflict: {
    status: 503,
    meaning: 'Another transaction got in the way: a deadlock, a lock, or rows that have changed meanwhile.',
    remedy: 'Try again.',
    transient: true,
  },
} as const satisfies Record<string, ErrorEntry>;
