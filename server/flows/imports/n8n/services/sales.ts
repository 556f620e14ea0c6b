import { asText } from '../params.ts';
import { encoded, type Given, mostOf, type Service, use } from './service.ts';

/** Operations of customers and payments that have operators here. */

const HUBSPOT = 'https://api.hubapi.com/crm/v3/objects';

/** Properties of the account's own, by their names. */
function ownFields(g: Given, field: string): Record<string, unknown> | undefined {
  const own = g.list(`${field}.customPropertiesUi.customPropertiesValues`);
  const fields = own.map((one): [string, unknown] => {
    const name = asText(one['property'] ?? '').replace(/\|.*$/s, '');
    return [name, g.made(one['value'])];
  });
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
}

export const servicesOfSales: readonly Service[] = [
  {
    kind: 'hubspot',
    becomes: 'operators of `hubspot`, else `http.request` through a connection',
    credential: 'hubspotAppToken',
    first: ['contact', 'upsert'],
    firsts: { contact: 'upsert', deal: 'create', company: 'create' },
    operations: {
      'contact.upsert': (g) =>
        use('hubspot.save-contact', {
          email: g.text('email'),
          firstName: g.text('additionalFields.firstName'),
          lastName: g.text('additionalFields.lastName'),
          phone: g.text('additionalFields.phoneNumber'),
          company: g.text('additionalFields.companyName'),
          fields: ownFields(g, 'additionalFields'),
        }),
      'contact.get': (g) => ({ url: `${HUBSPOT}/contacts/${encoded(g.expr('contactId'))}` }),
      'contact.getAll': (g) => ({
        url: `${HUBSPOT}/contacts`,
        query: { limit: g.number('limit', 100) },
        items: 'one?.results ?? []',
      }),
      'deal.create': (g) =>
        use('hubspot.create-deal', {
          name: g.text('additionalFields.dealName', 'Deal'),
          stage: g.text('stage'),
          pipeline: g.text('additionalFields.pipeline'),
          fields: ownFields(g, 'additionalFields'),
        }),
      'deal.get': (g) => ({ url: `${HUBSPOT}/deals/${encoded(g.expr('dealId'))}` }),
    },
  },
  {
    kind: 'stripe',
    becomes: 'operators of `stripe`',
    credential: 'stripeApi',
    first: ['balance', 'get'],
    firsts: { charge: 'create', customer: 'create' },
    operations: {
      'balance.get': () => use('stripe.get-balance', {}),
      'charge.getAll': (g) => use('stripe.list-charges', { limit: mostOf(g, 50) }),
      'customer.create': (g) =>
        use('stripe.create-customer', {
          name: g.text('name'),
          email: g.text('additionalFields.email'),
          phone: g.text('additionalFields.phone'),
          description: g.text('additionalFields.description'),
        }),
      'customer.get': (g) => use('stripe.get-customer', { customer: g.text('customerId') }),
      'customer.getAll': (g) =>
        use('stripe.list-customers', { email: g.text('filters.email'), limit: mostOf(g, 50) }),
      'customer.update': (g) =>
        use('stripe.update-customer', {
          customer: g.text('customerId'),
          name: g.text('updateFields.name'),
          email: g.text('updateFields.email'),
          phone: g.text('updateFields.phone'),
          description: g.text('updateFields.description'),
        }),
    },
  },
];
