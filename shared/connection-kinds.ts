// Written by `npm run docs` from the folders of server/integrations/connections/kinds/; do not edit.

/** All kinds of connections, with what they are used for. */
export const connectionKinds = {
  postgres: { title: 'PostgreSQL', use: 'sql' },
  mysql: { title: 'MySQL or MariaDB', use: 'sql' },
  sqlite: { title: 'SQLite', use: 'sql' },
  s3: { title: 'S3', use: 'files' },
  http: { title: 'HTTP', use: 'http' },
  redis: { title: 'Redis', use: 'actions' },
  smtp: { title: 'Mail server (SMTP)', use: 'actions' },
  oauth2: { title: 'OAuth2', use: 'http' },
  imap: { title: 'Mailbox (IMAP)', use: 'actions' },
  ssh: { title: 'SSH and SFTP', use: 'actions', also: 'files' },
} as const;
