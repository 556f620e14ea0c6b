import { z } from 'zod';
import { defineAction, defineKind } from '../../kind.ts';
import { untilAborted } from '../../servers.ts';
import type { SshSession } from './session.ts';
import { settings } from './settings.ts';

/** The most bytes of an output. */
const MAX_OUTPUT = 10_000_000;

export default defineKind({
  use: 'actions',
  name: 'ssh',
  title: 'SSH and SFTP',
  doc: 'A server with SSH. Nodes execute commands there with `ssh.run`, and nodes for files use its files (SFTP) as they use a folder.',
  settings,
  harmless: { folder: 'any', timeoutMs: 'any', most: 'any' },
  most: ({ most }) => most,
  destination: ({ host, port }) => ({ host, port }),
  async open(given, deps, signal) {
    const { SshSession: Session } = await import('./session.ts');
    const session = new Session(given, deps);
    try {
      await untilAborted(signal, session.start());
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  },
  async files(take) {
    return (await import('./store.ts')).createSftpStore(take);
  },
  actions: {
    run: defineAction({
      takes: z.strictObject({
        command: z.string().min(1).max(1_000_000),
        stdin: z.string().max(MAX_OUTPUT).default(''),
        maxBytes: z.int().min(1).max(MAX_OUTPUT),
      }),
      isRead: false,
      run: (session: SshSession, given, signal) => session.run(given, signal),
    }),
  },
});
