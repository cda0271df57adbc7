// SPDX-License-Identifier: MIT
/*
 * Calls.java: for tests/whole/stack_java.sh. Uses what a JVM does beneath: SIGSEGV for null pointers, deep recursion and safepoints; threads that come and go; zlib by
 * java.util.zip; a JNI library that is called, calls back, throws, and attaches threads of its own; child processes. All that it prints is the same each time.
 */
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.Inflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

public class Calls {
	static native long sum(long a, long b);
	static native int each(int count, Calls object);
	static native int fail(int how);
	static native int threads(int count, Calls object);

	int visits;
	static volatile Object sink;

	synchronized int visit(int index) {
		visits++;
		if (index == 1000)
			throw new IllegalStateException("visited " + index);
		return index;
	}

	static int depth;

	static int recurse(int n) {
		depth = n;
		return recurse(n + 1) + 1;
	}

	static String nulls(int rounds) {
		String[] texts = { "a", null, "bcd", null };
		int length = 0, caught = 0;
		for (int i = 0; i < rounds; i++)
			try {
				length += texts[i & 3].length();
			} catch (NullPointerException why) {
				caught++;
			}
		return length + " " + caught;
	}

	static long packed(int seed) throws Exception {
		byte[] data = new byte[200000], out = new byte[300000], back = new byte[200000];
		new Random(seed).nextBytes(data);
		Arrays.fill(data, 50000, 150000, (byte) seed);
		Deflater deflater = new Deflater(seed % 10);
		deflater.setInput(data);
		deflater.finish();
		int size = 0;
		while (!deflater.finished())
			size += deflater.deflate(out, size, Math.min(4096, out.length - size));
		deflater.end();
		Inflater inflater = new Inflater();
		inflater.setInput(out, 0, size);
		int got = 0;
		while (!inflater.finished())
			got += inflater.inflate(back, got, Math.min(4096, back.length - got));
		inflater.end();
		if (!Arrays.equals(data, back))
			throw new Exception("not the same");
		ByteArrayOutputStream file = new ByteArrayOutputStream();
		try (GZIPOutputStream gzip = new GZIPOutputStream(file)) {
			gzip.write(data);
		}
		try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(file.toByteArray()))) {
			return size + Arrays.hashCode(gzip.readAllBytes()) % 1000;
		}
	}

	public static void main(String[] args) throws Exception {
		System.load(args[0]);
		System.out.println("nulls " + nulls(400000));
		for (int i = 0; i < 3; i++)
			try {
				recurse(0);
			} catch (StackOverflowError why) {
				System.out.println("overflow " + (depth > 1000));
			}

		ExecutorService pool = Executors.newFixedThreadPool(4);
		Future<?>[] results = new Future<?>[24];
		for (int i = 0; i < results.length; i++) {
			int seed = i;
			results[i] = pool.submit((Callable<Long>) () -> packed(seed));
		}
		long total = 0;
		for (Future<?> result : results)
			total += (Long) result.get();
		pool.shutdown();
		System.out.println("packed " + total);

		long sum = 0;
		for (int i = 0; i < 300000; i++) {
			sum = sum(sum, i & 7);
			if (i % 1000 == 0)
				sink = new byte[100000];
		}
		System.gc();
		System.out.println("sum " + sum);

		Calls object = new Calls();
		System.out.println("each " + each(900, object) + " " + object.visits);
		try {
			each(2000, object);
		} catch (IllegalStateException why) {
			System.out.println("each: " + why.getMessage() + " " + object.visits);
		}
		for (int how = 0; how < 2; how++)
			try {
				fail(how);
			} catch (RuntimeException why) {
				System.out.println("fail: " + why);
			}
		System.out.println("threads " + threads(8, object) + " " + object.visits);

		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
			for (int i = 0; i < 20; i++) {
				ZipEntry entry = new ZipEntry("file" + i);
				entry.setTime(1000000000000L);
				zip.putNextEntry(entry);
				zip.write(("text " + i).repeat(1000).getBytes());
			}
		}
		Files.write(Path.of("archive.zip"), bytes.toByteArray());
		int length = 0;
		try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(Path.of("archive.zip")))) {
			while (zip.getNextEntry() != null)
				length += zip.readAllBytes().length;
		}
		System.out.println("zip " + length);

		for (int i = 0; i < 3; i++) {
			Process child = new ProcessBuilder("sh", "-c", "read line; echo \"got $line\"; exit " + i).start();
			child.getOutputStream().write("words\n".getBytes());
			child.getOutputStream().close();
			System.out.print(new String(child.getInputStream().readAllBytes()));
			System.out.println("child " + child.waitFor());
		}
		Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook " + sum(1, 2))));
		System.exit(5);
	}
}
