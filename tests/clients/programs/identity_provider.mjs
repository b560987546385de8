/** An OpenID Connect provider, with the forms of oidc-provider for development: whoever types a name
 * signs in with that name at hospital.example. The arguments are its port and the redirect address. */
import Provider from "oidc-provider";

const [port, redirectUri] = process.argv.slice(2);
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{ client_id: "proxy", client_secret: "s".repeat(32), redirect_uris: [redirectUri] }],
  claims: { openid: ["sub"], email: ["email", "email_verified"] },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: `${id}@hospital.example`, email_verified: true }),
  }),
  cookies: { keys: ["k".repeat(32)] },
});
provider.listen(Number(port), "127.0.0.1");
