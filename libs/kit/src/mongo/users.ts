import { type Db, MongoServerError } from "mongodb";

export const storedServices = ["namespaces", "images", "builds", "webhooks"] as const;
type StoredService = (typeof storedServices)[number];

interface MongoUser {
  readonly name: string;
  readonly password: string;
  readonly roles: readonly { readonly role: string; readonly db: string }[];
}

export interface Installation {
  /** The operator's user. The services' users are named after it. */
  readonly operator: string;
  databaseOf(service: StoredService): string;
  /** Returns the password of a service's user, or without a service that of the operator. */
  passwordOf(service?: StoredService): string;
}

export const mongoUserOf = (operator: string, service: string): string => `${operator}_${service}`;

/**
 * Returns one user for each service with a database, with the rights to read and write only that one, and the operator's user,
 * which can read and write all. The role `readWrite` includes the rights to indexes that services need.
 */
export function mongoUsers({ operator, databaseOf, passwordOf }: Installation): MongoUser[] {
  const ofServices = storedServices.map((service) => ({
    name: mongoUserOf(operator, service),
    password: passwordOf(service),
    roles: [{ role: "readWrite", db: databaseOf(service) }],
  }));
  const roles = [{ role: "readWriteAnyDatabase", db: "admin" }];
  return [{ name: operator, password: passwordOf(), roles }, ...ofServices];
}

const userExists = 51003;
const userNotFound = 11;

function unless(code: number): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof MongoServerError && error.code === code)) throw error;
  };
}

/** Creates the users, or gives existing ones these passwords and rights. */
export async function putMongoUsers(admin: Db, users: readonly MongoUser[]): Promise<void> {
  for (const { name, password, roles } of users) {
    const rest = { pwd: password, roles: [...roles] };
    await admin.command({ createUser: name, ...rest }).catch(async (error) => {
      unless(userExists)(error);
      await admin.command({ updateUser: name, ...rest });
    });
  }
}

/** Removes an operator's user and the services' users named after it. */
export async function dropMongoUsers(admin: Db, operator: string): Promise<void> {
  for (const name of [operator, ...storedServices.map((service) => mongoUserOf(operator, service))])
    await admin.command({ dropUser: name }).catch(unless(userNotFound));
}
