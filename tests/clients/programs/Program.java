import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.CatalogueApi;
import org.openapitools.client.model.Diagnosis;
import org.openapitools.client.model.DiagnosisList;
import org.openapitools.client.model.Intervention;
import org.openapitools.client.model.InterventionList;
import org.openapitools.client.model.InvalidParameterProblem;
import org.openapitools.client.model.Match;
import org.openapitools.client.model.Module;
import org.openapitools.client.model.Phase;
import org.openapitools.client.model.Problem;
import org.openapitools.client.model.QuotaExceededProblem;

/** Calls the service with the client that openapi-generator makes for Java. */
public final class Program {
    private static final String KNEE = "knee-osteoarthritis";
    private static final String ALZHEIMER = "alzheimer-disease";
    private static final List<String> CODES = List.of("m1711", "g30.1+", "b05");

    private interface Call {
        void run() throws ApiException;
    }

    private static CatalogueApi catalogue(String key) {
        ApiClient client = new ApiClient();
        if (key != null) {
            client.setRequestInterceptor(
                    request -> request.header("Authorization", "Bearer " + key));
        }
        return new CatalogueApi(client);
    }

    private static ApiException refused(int status, Call call) {
        try {
            call.run();
        } catch (ApiException error) {
            check(error.getCode() == status, error.toString());
            return error;
        }
        throw new AssertionError(status + " was expected");
    }

    private static <T> T read(ApiException error, Class<T> kind) throws Exception {
        return ApiClient.createDefaultObjectMapper().readValue(error.getResponseBody(), kind);
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    private static void equal(Object expected, Object actual) {
        check(expected.equals(actual), "expected " + expected + ", not " + actual);
    }

    public static void main(String[] arguments) throws Exception {
        CatalogueApi api = catalogue(System.getenv("EVREF_KEY"));

        ApiResponse<DiagnosisList> found =
                api.listDiagnosesWithHttpInfo(CODES, null, null, null, null, Module.HOME, null, null, null);
        equal(
                List.of(ALZHEIMER, KNEE),
                found.getData().getData().stream().map(Diagnosis::getId).toList());
        List<Match> matches = found.getData().getMeta().getMatches();
        equal(List.of("M17.11", "G30.1", "B05"), matches.stream().map(Match::getReadAs).toList());
        equal(
                List.of(List.of(KNEE), List.of(ALZHEIMER), List.of()),
                matches.stream().map(Match::getDiagnosisIds).toList());
        equal(List.of("1000"), found.getHeaders().get("x-ratelimit-limit"));

        Diagnosis diagnosis = api.getDiagnosis(KNEE, null, null, null).getData();
        equal(List.of(Module.values()), diagnosis.getEnabledModules());

        InterventionList answer =
                api.listInterventions(KNEE, Module.FITT_VIP, Phase.CHRONIC, null, null);
        equal(Phase.CHRONIC, answer.getMeta().getFilters().getPhase());
        equal(answer.getMeta().getCount(), answer.getData().size());
        check(!answer.getData().isEmpty(), "there are interventions");
        for (Intervention intervention : answer.getData()) {
            equal(Module.FITT_VIP, intervention.getModule());
            check(intervention.getFittVp() != null, "each has a dose");
        }
        check(
                api.listInterventions(KNEE, Module.HOME, null, null, null).getData().stream()
                        .allMatch(each -> each.getFittVp() == null),
                "none has a dose");

        String etag = found.getHeaders().get("etag").get(0);
        refused(304, () -> api.listDiagnoses(CODES, null, null, null, null, Module.HOME, null, etag, null));

        ApiException missing = refused(401, () -> list(catalogue(null), null));
        check(
                read(missing, Problem.class).getType().getPath().equals("/problems/missing-credentials"),
                missing.getResponseBody());
        refused(401, () -> list(catalogue("evref_mistyped"), null));

        refused(404, () -> api.getDiagnosis("knee-arthritis", null, null, null));

        ApiException invalid = refused(422, () -> list(api, " "));
        equal("q", read(invalid, InvalidParameterProblem.class).getErrors().get(0).getParameter());

        CatalogueApi usedUp = catalogue(System.getenv("EVREF_USED_UP_KEY"));
        ApiException exceeded = refused(429, () -> list(usedUp, null));
        equal(
                List.of("daily"),
                read(exceeded, QuotaExceededProblem.class).getViolatedPolicies());
        check(exceeded.getResponseHeaders().firstValue("Retry-After").isPresent(), "when to retry");
    }

    private static void list(CatalogueApi api, String words) throws ApiException {
        api.listDiagnoses(null, null, null, null, null, null, words, null, null);
    }
}
