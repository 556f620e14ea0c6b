import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { App } from '#shared/app.ts';
import { aBody } from '../../../chat/apps/testing/an-app.ts';
import { createAccess } from '../../../access/security/access.ts';
import type { Scope } from '../../../access/security/scopes.ts';
import { sha256 } from '../../../access/security/secrets.ts';
import { type RunningServer, startServer } from '../../../server.ts';
import { testConfig } from '../../../testing/fake-context.ts';

export const base = '/api/v2/serve/apps';

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: {
    success: boolean;
    err_code: string;
    err_msg: string;
    data: unknown;
    detail?: { loc: unknown[] }[];
  };
}

export interface Sent {
  /** The name of a key in `keys`, or any other text; empty for no key. */
  readonly as?: string;
  /** A text is sent unchanged. */
  readonly body?: unknown;
  readonly type?: string;
}

/** One server with one app, shared by all tests of a file: refused requests change nothing. */
export interface AppsBed {
  readonly server: RunningServer;
  readonly app: App;
  call(method: string, path: string, sent?: Sent): Promise<Answer>;
  /** Expects the complete error body, without any detail of the machine. */
  expectRefusal(answer: Answer, status: number, code: string): void;
}

const key = (name: string, scopes: Scope[], more: { expiresAt?: string } = {}) => ({
  id: name,
  name,
  hash: sha256(name),
  scopes,
  createdAt: '2026-01-01T00:00:00Z',
  ...more,
});

const keys = [
  key('all', ['apps:read', 'apps:write']),
  key('reader', ['apps:read']),
  key('writer', ['apps:write']),
  key('other', ['flows:read', 'chat', 'admin']),
  key('ended', ['apps:read', 'apps:write'], { expiresAt: '2026-01-02T00:00:00Z' }),
];

/** The bed is filled once the tests run. */
export function appsBed(): AppsBed {
  const bed = { call, expectRefusal } as { server: RunningServer; app: App } & AppsBed;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weft-'));
    const [flows, operators, data] = ['flows', 'operators', 'data'].map((name) => join(folder, name));
    const config = testConfig({
      flows: [flows as string],
      operators: operators as string,
      data: data as string,
    });
    const access = createAccess(config, keys);
    bed.server = await startServer(config, { access, editorFiles: '/nonexistent' });
    bed.app = await bed.server.ctx.apps.create(aBody('Sales'));
  });
  afterAll(async () => {
    await bed.server.stop();
    await rm(folder, { recursive: true });
  });

  async function call(
    method: string,
    path: string,
    { as = 'all', body, type = 'application/json' }: Sent = {},
  ): Promise<Answer> {
    const authorization = as === '' ? {} : { authorization: `Bearer ${as}` };
    const content = body === undefined ? {} : { 'content-type': type };
    const answer = await fetch(`http://127.0.0.1:${bed.server.port}${path}`, {
      method,
      headers: { ...authorization, ...content },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, text, body: JSON.parse(text) as Answer['body'] };
  }

  function expectRefusal({ status, text, body }: Answer, wanted: number, code: string): void {
    expect({ status, code: body.err_code }).toEqual({ status: wanted, code });
    expect(body).toMatchObject({
      success: false,
      err_msg: expect.stringMatching(/./),
      data: null,
      error: { message: body.err_msg, type: expect.any(String), code },
    });
    expect(Object.keys(body).slice(0, 5)).toEqual(['success', 'err_code', 'err_msg', 'data', 'error']);
    expect(text).not.toMatch(/\n\s*at |\.ts:\d|node_modules|<html/i);
    expect(text).not.toContain(folder);
  }

  return bed;
}
