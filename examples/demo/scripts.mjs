// The scripts, as a model would write them. They see /session and nothing else.

export const find = `
echo "files: $(find . -type f | wc -l)"
jq -r 'select(.status == "overdue") | [.id, .customer, .due, ([.lines[] | .quantity * .cents] | add)] | @csv' invoices/*.json |
  tr -d '"' | sort -t, -k4,4nr > overdue.csv
echo "overdue: $(wc -l < overdue.csv)"
head -3 overdue.csv | while IFS=, read -r id customer due cents; do
  echo "  $id  $customer  due $due  $((cents / 100))"
done
echo "errors in billing: $(grep -h 'ERROR billing' logs/*.log | wc -l)"
`;

export const enrich = String.raw`
cat > enrich.mjs <<'JS'
import fs from "node:fs";
const rows = fs.readFileSync("overdue.csv", "utf8").trim().split("\n").map((line) => line.split(","));
const contacts = {};
for (const id of new Set(rows.map((row) => row[1]))) contacts[id] = await tools.crm.lookup({ id });
fs.writeFileSync("contacts.json", JSON.stringify(contacts, null, 1));
try {
  await tools.crm.lookup({ id: "../../etc/passwd" });
} catch (error) {
  console.log("a bad input was refused");
}
console.log(Object.keys(contacts).length + " customers looked up");
JS
js-exec enrich.mjs
rm enrich.mjs
`;

export const report = String.raw`
python3 - <<'PY'
import csv, json
contacts = json.load(open("contacts.json"))
rows = list(csv.reader(open("overdue.csv")))
total = sum(int(row[3]) for row in rows)
with open("/session/report.md", "w", encoding="utf8") as out:
    out.write(f"# Overdue invoices\n\n{len(rows)} invoices, {total / 100:.2f} in all.\n\n")
    out.write("| invoice | customer | due | amount | mail | reminders |\n|---|---|---|---:|---|---:|\n")
    for id, customer, due, cents in rows:
        contact = contacts[customer]
        out.write(f"| {id} | {customer} | {due} | {int(cents) / 100:.2f} | {contact['mail']} | {contact['reminders']} |\n")
print(f"report.md: {len(rows)} rows, total {total / 100:.2f}")
PY
`;

export const lookAround = String.raw`
printenv | sort
echo "-- js:"
js-exec -c 'console.log(Object.keys(process.env).sort().join(" "))'
echo "-- python:"
python3 -c 'import os; print(" ".join(sorted(os.environ)))'
echo "-- secret:"
echo "[$DEMO_CRM_API_KEY]"
cat /proc/self/environ 2>/dev/null | tr '\0' '\n'
grep -rl "demo-key-" /session /tmp /home 2>/dev/null | wc -l
`;
