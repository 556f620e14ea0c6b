import type { Step } from './workflow.ts';

/** The two nearest ways to do what a type does that nothing stands for. */

const BY_PATTERN: readonly (readonly [pattern: RegExp, offers: readonly [string, string]])[] = [
  [
    /Trigger$/,
    [
      'trigger.http, called by a webhook of the service',
      'trigger.poll, which asks the service again and again',
    ],
  ],
  [/^executeCommand$/i, ['ssh.run on a server, which may be this one', 'code.run, if it only computes']],
  [
    /vectorStore|retriever/i,
    ['knowledge.retrieve from a knowledge space', 'http.request to the address of the service'],
  ],
  [/^(?:agent|chain|lm|model)/i, ['agent.run', 'model.chat']],
  [
    /^(?:mongoDb|couch|elastic|dynamo)/i,
    ['http.request to the HTTP interface of the database', 'sql.query on a database that is connected'],
  ],
  [/^(?:compression)$/, ['file.zip and file.unzip', 'code.run']],
  [/^(?:edit_image|editImage)$/, ['http.request to a service for pictures', 'model.chat with a file']],
];

export function offersFor({ kind }: Pick<Step, 'kind'>): readonly string[] {
  return (
    BY_PATTERN.find(([pattern]) => pattern.test(kind))?.[1] ?? [
      'http.request to the address of the service',
      'code.run',
    ]
  );
}
