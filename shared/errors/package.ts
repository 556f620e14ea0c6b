import type { ErrorEntry } from './entry.ts';

/** Npm packages with operators, and sources. */
export const packageErrors = {
  package_missing: {
    status: 500,
    meaning: 'A package of the setting `packages` is not installed in the folder where the server runs.',
    remedy: 'Install it with `weft add`, or take it out with `weft remove`.',
  },
  package_not_found: {
    status: 404,
    meaning: 'The registry of npm has no package of this name, or not in this version.',
    remedy: 'Check name and version; `npm view <name> versions` lists the versions.',
  },
  package_damaged: {
    status: 502,
    meaning: 'The downloaded package differs from the published one.',
    remedy:
      'Try again, after `npm cache clean --force` if need be. If it still differs, do not install the package.',
  },
  registry_failed: {
    status: 502,
    meaning: 'The registry of npm could not be reached, or refused the request.',
    remedy: 'Check the network, and `npm config get registry`.',
  },
  package_invalid: {
    status: 500,
    meaning: 'The package.json of a package does not say, or says wrongly, what the package brings.',
    remedy: 'Correct its `weft` part as docs/packages.md describes.',
  },
  package_typescript: {
    status: 500,
    meaning: 'A package has an operator in TypeScript, which Node does not run from node_modules.',
    remedy: 'Publish the package with JavaScript files: `.js` or `.mjs`.',
  },
  package_operator: {
    status: 500,
    meaning: 'An operator of a package does not load, or its name is taken.',
    remedy:
      'Look at the message, and at the other packages and your own operators; tell the author of the package.',
  },
  package_not_declared: {
    status: 500,
    meaning:
      'An operator of a package asked for a host, a connection or a service that the package has not declared.',
    remedy: 'If it should have it, its author declares it in package.json; `weft add` then asks you again.',
  },
  service_invalid: {
    status: 422,
    meaning: 'A file of a service, or the description that it should be made from, cannot be read.',
    remedy: 'The message says where it is wrong. docs/services.md describes files and descriptions.',
  },
  service_not_found: {
    status: 404,
    meaning: 'There is no service with this id, or it belongs to the product and cannot be removed.',
    remedy: 'GET /api/v1/services lists the services.',
  },
  service_exists: {
    status: 409,
    meaning: 'There is a service with this id already, or a group of built-in operators.',
    remedy: 'Choose another id, or replace the one that is there.',
  },
  source_ended: {
    status: 500,
    meaning: 'A source ended although its flow is live. It is started again after a pause.',
    remedy: 'Nothing to do if it happens once; otherwise look at the log of the server.',
    transient: true,
  },
  hook_taken: {
    status: 409,
    meaning: 'The service sends to one address only, and another server has registered its own there.',
    remedy:
      'Leave it to the other server, or take it over: “Take over” at the trigger, or `replace` of POST /api/v1/hooks/{flow}/{node}.',
  },
  hook_elsewhere: {
    status: 409,
    meaning:
      'The registration at the service was made for another public address, so it may be that of another server.',
    remedy:
      'Remove it at the service if no other server uses it. If the address of this server has changed, publish the flow again.',
  },
  hook_not_found: {
    status: 404,
    meaning: 'No trigger receives calls at this address, or its flow is not live any more.',
    remedy: 'Publish the flow whose trigger has this address, or remove the address at the service.',
  },
  hook_not_ready: {
    status: 503,
    meaning:
      'A service has sent to a trigger that is being set up: what it signs with is not stored yet, or this server does not serve the version of the flow that is live.',
    remedy:
      'Nothing to do: the service sends it again. If that lasts, the list of webhooks says what keeps the trigger from being registered.',
    transient: true,
  },
  public_address_missing: {
    status: 409,
    meaning: 'A service is to call this server, and no setting says at which address it is reached.',
    remedy:
      'Set WEFT_PUBLIC_URL to the address at which services reach this server, such as https://flows.example.com.',
  },
  source_item: {
    status: 500,
    meaning: 'A source delivered an item that cannot start a run: without an id, too large, or not JSON.',
    remedy: 'Look at the message; `key` of `trigger.poll` must give a text or a number.',
  },
} as const satisfies Record<string, ErrorEntry>;
