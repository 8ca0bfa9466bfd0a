// SPDX-License-Identifier: Apache-2.0
//
// Hello, world: two boxes in a room that ticks by Step. One moves onto the other and away again.
//
//     dotnet run -- 127.0.0.1:7400
//
// Not built by the project's tests: see README.md.
using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Sockets;
using Google.Protobuf;
using Quadrille.V1;

// A connection that waits for each answer. One thread.
sealed class Connection : IDisposable
{
    const int AnswerMs = 5000;

    readonly TcpClient socket = new();
    readonly Stream stream;
    ulong seq;

    // The pairs that touch, after the last tick. The smaller id comes first.
    public HashSet<(uint, uint)> Pairs { get; } = new();

    public Connection(string host, int port, string token)
    {
        socket.Connect(host, port);
        socket.NoDelay = true;
        stream = new BufferedStream(socket.GetStream(), 65536);
        stream.ReadTimeout = AnswerMs;
        Ask(new ClientFrame { Hello = new Hello { Version = 1, Token = token, Client = "hello.cs" } });
    }

    // Sends a request, and returns its number.
    public ulong Send(ClientFrame frame)
    {
        frame.Seq = ++seq;
        frame.WriteDelimitedTo(stream);
        return frame.Seq;
    }

    // Sends a request, and folds what comes before its answer.
    public ServerFrame Ask(ClientFrame frame)
    {
        ulong asked = Send(frame);
        stream.Flush();
        for (;;)
        {
            ServerFrame answer = ServerFrame.Parser.ParseDelimitedFrom(stream);
            switch (answer.MessageCase)
            {
                case ServerFrame.MessageOneofCase.Error:
                    throw new InvalidOperationException($"{answer.Error.Code}: {answer.Error.Text}");
                case ServerFrame.MessageOneofCase.GoAway:
                    throw new InvalidOperationException($"{answer.GoAway.Reason}: {answer.GoAway.Text}");
                case ServerFrame.MessageOneofCase.Tick:
                    Fold(answer.Tick);
                    break;
            }
            if (answer.Seq == asked)
            {
                return answer;
            }
        }
    }

    // P2 in proto/SPEC.md: at a reset, empty the set; remove each end; add each begin.
    void Fold(Tick tick)
    {
        if (tick.Reset || tick.Suspended)
        {
            Pairs.Clear();
        }
        for (int i = 0; i < tick.EndA.Count; i++)
        {
            Pairs.Remove((tick.EndA[i], tick.EndB[i]));
        }
        for (int i = 0; i < tick.BeginA.Count; i++)
        {
            Pairs.Add((tick.BeginA[i], tick.BeginB[i]));
        }
    }

    public void Dispose()
    {
        stream.Dispose();
        socket.Dispose();
    }
}

static class Program
{
    static void Main(string[] arguments)
    {
        string[] address = (arguments.Length > 0 ? arguments[0] : "127.0.0.1:7400").Split(':');
        string token = Environment.GetEnvironmentVariable("QUADRILLE_TOKEN") ?? "";
        using var connection = new Connection(address[0], int.Parse(address[1]), token);

        var config = new RoomConfig
        {
            Bounds = new Bounds { MaxX = 50, MaxY = 50 },
            TickMode = TickMode.Step,
            GraceMs = 0,
            EmptyCloseMs = 0,
        };
        var open = new OpenRoom { Name = "hello", Config = config };
        ulong room = connection.Ask(new ClientFrame { OpenRoom = open }).RoomOpened.Room;

        connection.Send(new ClientFrame { Subscribe = new Subscribe { Room = room } });
        connection.Send(new ClientFrame
        {
            Spawn = new Spawn { Room = room, Id = { 1, 2 }, X = { 10, 20 }, Y = { 10, 10 }, HalfX = { 1, 1 }, HalfY = { 1, 1 } },
        });
        for (float x = 14; x <= 26; x += 4)
        {
            connection.Send(new ClientFrame { Move = new Move { Room = room, Id = { 1 }, X = { x }, Y = { 10 } } });
            // The answer to a Step follows its events.
            Applied applied = connection.Ask(new ClientFrame { Step = new Step { Room = room } }).Applied;
            Console.WriteLine($"tick {applied.Tick}: {string.Join(", ", connection.Pairs)}");
        }
    }
}
