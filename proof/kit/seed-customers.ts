/** An installation with 120 customers, for lists: accounts, members, credits, tasks. */
import { createAccount } from '../../server/accounts/account.ts';
import { createApiKey } from '../../server/accounts/keys/api-key.ts';
import { keyPepper } from '../../server/accounts/keys/api-key-format.ts';
import { addMember } from '../../server/accounts/people/membership.ts';
import type { Database } from '../../server/database/database.ts';
import { createBalances, lockBalances } from '../../server/ledger/ledger.ts';
import { copyAccountActivity } from '../../server/start/maintenance.ts';
import { addTaskWords } from '../../server/tasks/task-words.ts';
import { seedPerson } from './people.ts';
import { testSecret } from './seed.ts';
import { seedTaskHistory } from './seed-task-history.ts';

const first = [
  ...['Amber', 'Birch', 'Copper', 'Delta', 'Ember', 'Fjord'],
  ...['Granite', 'Harbor', 'Iris', 'Juniper', 'Kite', 'Lumen'],
];
const last = [
  ...['Studio', 'Films', 'Media', 'Pictures', 'Animation'],
  ...['Labs', 'Productions', 'Collective', 'Post', 'Agency'],
];
const surnames = ['Abara', 'Brandt', 'Castro', 'Demir', 'Eklund', 'Fischer', 'Gupta'];
const people = ['Ada', 'Bea', 'Chidi', 'Dana', 'Emre', 'Femi', 'Gita', 'Hugo', 'Ines', 'Jun'];
/** Every so many have tasks of four weeks, and every so many no credits. */
const activeEvery = 8;
const emptyEvery = 9;

export type Customer = { readonly id: string; readonly name: string };

export async function seedCustomers(db: Database): Promise<Customer[]> {
  const names = first.flatMap((one) => last.map((other) => `${one} ${other}`));
  const customers: Customer[] = [];
  for (const [index, name] of names.entries()) {
    const customer = await seedCustomer(db, { name, index });
    customers.push(customer);
    if (index % activeEvery === 0) await seedTaskHistory(db, { account: customer.id });
  }
  while (await db.transaction((tx) => copyAccountActivity(tx)));
  while (await db.transaction((tx) => addTaskWords(tx)));
  return customers;
}

async function seedCustomer(
  db: Database,
  { name, index }: { readonly name: string; readonly index: number },
): Promise<Customer> {
  const given = people[index % people.length]!;
  const domain = name.toLowerCase().replace(' ', '-');
  const person = await seedPerson(db, {
    name: `${given} ${surnames[index % surnames.length]}`,
    email: `${given.toLowerCase()}@${domain}.example`,
  });
  return await db.transaction(async (tx) => {
    const { id } = await createAccount(tx, { name });
    await createBalances(tx, id);
    const ledger = await lockBalances(tx, [{ accountId: id, mode: 'live' }]);
    const amount = index % emptyEvery === 0 && index % activeEvery !== 0 ? 0 : 20_000 + index * 137;
    if (amount > 0) {
      const grant = { amount, note: `Invoice ${3000 + index}`, reference: null };
      ledger.grant({ accountId: id, mode: 'live' }, grant);
    }
    await ledger.flush();
    const pepper = keyPepper(testSecret);
    await createApiKey(tx, { pepper, accountId: id, mode: 'live', name: 'Production' });
    await addMember(tx, { accountId: id, personId: person.id, role: 'owner' });
    await tx.query(
      `update accounts set created_at = now() - $2 * interval '3 days' where id = $1`,
      [id, index],
    );
    return { id, name };
  });
}
