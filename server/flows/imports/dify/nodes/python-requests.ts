import { Unmapped } from '../unmapped.ts';

/**
 * `requests` is the package that most Python of apps imports. In its place stands what such code uses of it, over the guarded client of the
 * run: anything else is an error of the code, with its name.
 */
const STAND_IN = `def _requests():
    import base64, types
    from json import loads
    from urllib.parse import urlencode

    class RequestException(IOError):
        pass

    class HTTPError(RequestException):
        pass

    class ConnectionError(RequestException):
        pass

    class Timeout(RequestException):
        pass

    class JSONDecodeError(RequestException, ValueError):
        pass

    class Headers(dict):
        def __init__(self, given):
            super().__init__({str(name).lower(): value for name, value in given.items()})

        def __getitem__(self, name):
            return super().__getitem__(name.lower())

        def __contains__(self, name):
            return super().__contains__(name.lower())

        def get(self, name, default=None):
            return super().get(name.lower(), default)

    class Response:
        encoding = 'utf-8'

        def __init__(self, given):
            self.status_code, self.url, self.content = given.status, given.url, given.content
            self.ok, self.headers = given.status < 400, Headers(given.headers)

        @property
        def text(self):
            return self.content.decode(self.encoding or 'utf-8', 'replace')

        def json(self):
            try:
                return loads(self.content)
            except ValueError as error:
                raise JSONDecodeError(str(error)) from error

        def raise_for_status(self):
            if not self.ok:
                raise HTTPError(f'{self.status_code} for {self.url}')

    def request(method, url, params=None, data=None, json=None, headers=None, auth=None, timeout=None,
                allow_redirects=True, verify=True, **others):
        unknown = [name for name, value in others.items() if value is not None]
        if unknown:
            raise TypeError('requests has no ' + ', '.join(unknown) + ' here')
        headers = dict(headers or {})
        if params:
            fields = params if isinstance(params, str) else urlencode(params, doseq=True)
            url += ('&' if '?' in url else '?') + fields
        if auth is not None:
            word = base64.b64encode(f'{auth[0]}:{auth[1]}'.encode()).decode()
            headers['Authorization'] = 'Basic ' + word
        if data is not None and not isinstance(data, (str, bytes)):
            data = urlencode(data, doseq=True)
            if not any(name.lower() == 'content-type' for name in headers):
                headers['Content-Type'] = 'application/x-www-form-urlencoded'
        limit = max(timeout) if isinstance(timeout, tuple) else timeout
        try:
            answer = ctx.fetch(url, method=method.upper(), headers=headers, body=data, json=None if data is not None else json,
                               timeout=limit or 60, redirects=20 if allow_redirects else 0)
        except Exception as error:
            late = 'timeout' in str(getattr(error, 'code', ''))
            raise (Timeout if late else ConnectionError)(str(error)) from error
        return Response(answer)

    def bound(method):
        return lambda url, *args, **named: request(method, url, *args, **named)

    def posting(method):
        return lambda url, data=None, json=None, **named: request(method, url, data=data, json=json, **named)

    errors = types.SimpleNamespace(RequestException=RequestException, HTTPError=HTTPError, ConnectionError=ConnectionError,
                                   Timeout=Timeout, JSONDecodeError=JSONDecodeError)
    return types.SimpleNamespace(request=request, get=bound('GET'), head=bound('HEAD'), options=bound('OPTIONS'),
                                 delete=bound('DELETE'), post=posting('POST'), put=posting('PUT'), patch=posting('PATCH'),
                                 Response=Response, exceptions=errors, **vars(errors))

`;

const IMPORT = /^([ \t]*)import[ \t]+([^\n#;]*\brequests\b[^\n#;]*)/gm;

/** The code with the stand-in where it imports `requests`. Throws `Unmapped` if it imports parts of it. */
export function withRequests(source: string): string {
  if (/^[ \t]*from[ \t]+requests\b|^[ \t]*import[ \t][^\n]*\brequests\./m.test(source))
    throw new Unmapped('its Python imports parts of requests');
  const rewritten = source.replaceAll(IMPORT, (_, indent: string, list: string) => {
    const all = list.split(',').map((one) => one.trim());
    const others = all.filter((one) => !/^requests\b/.test(one));
    const own = all
      .filter((one) => /^requests\b/.test(one))
      .map((one) => /\bas[ \t]+(\w+)$/.exec(one)?.[1] ?? 'requests');
    const lines = [
      ...(others.length > 0 ? [`import ${others.join(', ')}`] : []),
      ...own.map((name) => `${name} = _requests()`),
    ];
    return lines.map((line) => `${indent}${line}`).join('\n');
  });
  return `${STAND_IN}${rewritten}`;
}
