import { type HttpResponse, WeftError } from '#engine';
import { fileExists, fileMissing } from '../../../../storage/file-store/store.ts';
import { readXml } from './xml.ts';

interface Asked {
  /** The requested path. */
  readonly path: string;
  readonly host: string;
  readonly bucket: string;
  readonly region: string;
}

/** Codes of S3 after which another attempt may succeed, whatever the status. */
const PASSING = new Set([
  'RequestTimeout',
  'SlowDown',
  'ServiceUnavailable',
  'InternalError',
  'ConditionalRequestConflict',
  'OperationAborted',
  'NoSuchUpload',
]);

/** Statuses with which services report that a bucket is in another region. */
const ELSEWHERE = new Set([301, 307, 400, 403]);

/** The error for an answer with a status from 300 on, or for a failure that was sent with status 200. */
export function failureOf(
  { status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
  text: string,
  asked: Asked,
): WeftError {
  const { path, host, bucket } = asked;
  const { code = '', message, region = headers['x-amz-bucket-region'] } = saidIn(text);
  const detail = `${code || `status ${status}`}${message}`;
  if (region !== undefined && isElsewhere(status, region, asked))
    return refused(
      `The bucket ${bucket} is in the region ${line(region, 64)}, not in ${asked.region}: correct region and endpoint of the connection.`,
    );
  if (status >= 300 && status < 400)
    return refused(
      `${host} redirects requests for the bucket ${bucket} (${detail}); it was not followed. Correct endpoint, region and addressing of the connection.`,
    );
  if (status === 412 || code === 'PreconditionFailed') return fileExists(path);
  if (mayPass(status, code))
    return new WeftError('connection_failed', `${host} could not answer (${detail}).`);
  return status === 404 ? notThere(code, asked) : refused(`${host} refuses the request (${detail}).`);
}

function isElsewhere(status: number, region: string, asked: Asked): boolean {
  return ELSEWHERE.has(status) && region !== asked.region;
}

function notThere(code: string, { path, host, bucket }: Asked): WeftError {
  return code === 'NoSuchBucket' ? refused(`There is no bucket ${bucket} at ${host}.`) : fileMissing(path);
}

/** Whether another attempt may succeed. */
function mayPass(status: number, code: string): boolean {
  return PASSING.has(code) || status === 408 || status === 429 || (status >= 500 && status !== 501);
}

function saidIn(text: string): { code?: string; message: string; region?: string } {
  const error = readXml(text)?.['Error'];
  if (typeof error !== 'object' || error === null) return { message: '' };
  const { Code, Message, Region } = error as Record<string, unknown>;
  return {
    ...(typeof Code === 'string' && { code: line(Code, 100) }),
    message: typeof Message === 'string' && Message !== '' ? `: ${line(Message, 300)}` : '',
    ...(typeof Region === 'string' && { region: line(Region, 64) }),
  };
}

function line(text: string, most: number): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, most);
}

function refused(message: string): WeftError {
  return new WeftError('connection_refused', message);
}
