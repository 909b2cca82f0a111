/** What a database or the way to it says, as an error of ours: without the connection string and what is in it. */
import { SandboxError } from "../shared/errors.ts";
import { tellThrown } from "../shared/redact.ts";
import { codeOf } from "../storage/error-code.ts";

/** With which code what goes wrong is told. */
export type FailureCode = "STORE_FAILED" | "SESSION_LOG_FAILED";

/** What Postgres calls kinds of errors: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const SQL_STATE = /^[0-9A-Z]{5}$/;

/**
 * No cause: errors of `pg` can hold the connection, and those of an URL the connection string. `data.sqlState` is the
 * server's code, where the server said something.
 */
export function toFailure(code: FailureCode, cause: unknown, connectionString: string): SandboxError {
  const sqlState = sqlStateOf(cause);
  // Several addresses that could not be reached are one error without words.
  const said = withoutSecrets(tellThrown(cause), connectionString) || (codeOf(cause) ?? "it gave no reason");
  const data = sqlState === undefined ? {} : { sqlState };
  return new SandboxError(code, `The database did not do it, or did not say so: ${said}`, data);
}

/** The server's code of an error of `pg`; undefined for those of the connection. */
function sqlStateOf(cause: unknown): string | undefined {
  const code = (cause as { code?: unknown } | null | undefined)?.code;
  const severity = (cause as { severity?: unknown } | null | undefined)?.severity;
  return typeof code === "string" && SQL_STATE.test(code) && severity !== undefined ? code : undefined;
}

function withoutSecrets(text: string, connectionString: string): string {
  const secrets = [connectionString, ...passwordsOf(connectionString)].filter((secret) => secret.length > 0);
  return secrets.reduce((left, secret) => left.replaceAll(secret, "***"), text);
}

/** The password as it is written, and as it is meant. */
function passwordsOf(connectionString: string): string[] {
  const written = [
    /^[a-z]+:\/\/[^:@/?#]*:([^@/]*)@/i.exec(connectionString)?.[1],
    /[?&]password=([^&]*)/i.exec(connectionString)?.[1],
  ].filter((password) => password !== undefined);
  return written.flatMap((password) => {
    try {
      return [password, decodeURIComponent(password)];
    } catch {
      // Not encoded as it should be: then it is meant as it is written.
      return [password];
    }
  });
}
