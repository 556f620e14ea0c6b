import { pino } from 'pino';
import { expect, test } from 'vitest';
import { WeftError } from '#engine';
import { errorAnswer } from './error-handler.ts';
import { ServiceError } from '../../base/errors/errors.ts';

const silent = pino({ level: 'silent' });

function answer(error: unknown) {
  const { status, headers, body } = errorAnswer(error, { id: 'id-1', log: silent });
  return {
    status,
    headers,
    code: body.err_code,
    message: body.err_msg,
    param: body.error.param,
    type: body.error.type,
  };
}

test('a service’s error is answered with its status, headers, param and all problems', () => {
  const error = new ServiceError('invalid_request', 'No name.', {
    param: 'name',
    detail: [{ loc: ['name'] }],
    headers: { 'x-a': 'b' },
  });
  expect(answer(error)).toEqual({
    status: 400,
    headers: { 'x-a': 'b' },
    code: 'invalid_request',
    message: 'No name.',
    param: 'name',
    type: 'invalid_request_error',
  });
  expect(errorAnswer(error, { id: 'id-1', log: silent }).body.detail).toEqual([{ loc: ['name'] }]);
});

test('the engine’s error is answered with the status of its code, an operator’s own code with 500', () => {
  expect(answer(new WeftError('missing_field', 'No a.b.', { field: 'params.x' }))).toMatchObject({
    status: 422,
    code: 'missing_field',
    message: 'No a.b.',
    param: 'params.x',
  });
  expect(answer(new WeftError('out_of_paper', 'Empty.'))).toMatchObject({
    status: 500,
    code: 'out_of_paper',
  });
});

test.each([
  [{ statusCode: 404, message: 'file /srv/x' }, 404, 'not_found'],
  [{ statusCode: 416, message: 'range' }, 400, 'invalid_request'],
  [{ statusCode: 503, message: 'busy' }, 503, 'overloaded'],
  [
    { code: 'FST_ERR_CTP_INVALID_CONTENT_LENGTH', statusCode: 400, message: 'length' },
    400,
    'invalid_request',
  ],
  [{ code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413, message: 'large' }, 413, 'body_too_large'],
  [{ code: 'FST_ERR_REP_ALREADY_SENT', statusCode: 500, message: 'twice' }, 500, 'internal'],
  [{ code: 'ENOENT', message: 'open /srv/x' }, 500, 'internal'],
])('an error of a library, %j, becomes %i %s', (fields, status, code) => {
  expect(answer(Object.assign(new Error(), fields))).toMatchObject({ status, code });
});

test.each([undefined, null, 'text', 5, {}])('whatever is thrown, even %j, is answered', (thrown) => {
  expect(answer(thrown)).toMatchObject({ status: 500, code: 'internal', type: 'server_error' });
});

test('no path of this machine leaves with a library’s error', () => {
  for (const statusCode of [403, 404, 500]) {
    const error = Object.assign(new Error('cannot read /srv/weft/data'), { statusCode });
    expect(JSON.stringify(errorAnswer(error, { id: 'id-1', log: silent }).body)).not.toContain('/srv');
  }
});
